import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { NewEvent, Submission } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import { REASON_MAX, RunOutcome } from '../protocol/outcome.ts';
import type { Played, Script } from '../testing/play-attempts.ts';
import { agent, done, failed, playAttempts, settingsFor } from '../testing/play-attempts.ts';
import type { AttemptSettings } from './attempt.ts';
import { attemptsProgram } from './attempts-program.ts';
import type { GateOutcome } from './gate.ts';

function told(script: Script): readonly string[] {
  return playAttempts(script).told;
}

function table(
  name: string,
  cases: readonly [why: string, script: Script, told: string[]][],
): void {
  describe(name, () => {
    for (const [why, script, expected] of cases)
      test(why, () => assert.deepEqual(told(script), expected));
  });
}

table('one task through its agents', [
  ['somebody looks around, then an agent begins', { attempts: ['open'] }, ['looks', 'a']],
  [
    'completed work is unverified, since nobody checked',
    { attempts: [done] },
    ['looks', 'a', 'unverified: done'],
  ],
  [
    'an attempt that was lost is begun again, by the same agent',
    { settings: settingsFor(['a', 'b']), attempts: ['lost', done] },
    ['looks', 'a', 'a at 1 s', 'unverified: done'],
  ],
  [
    'as often as allowed, and once more is too often',
    { attempts: ['lost', 'lost', 'lost'] },
    [
      'looks',
      'a',
      'a at 1 s',
      'a at 2 s',
      'exhausted: the attempt was lost 3 times with its owner',
    ],
  ],
  [
    'a lost attempt counts as an attempt',
    { settings: settingsFor(['a'], { attemptsMax: 1 }), attempts: ['lost'] },
    ['looks', 'a', 'exhausted: all 1 attempts are used up'],
  ],
  [
    'a look that fails keeps nobody from beginning',
    { attempts: [done], noBook: true },
    ['looks', 'a', 'unverified: done'],
  ],
]);

const GATES = [
  { name: 'test', command: ['npm', 'test'], timeoutMs: 1000 },
  { name: 'lint', command: ['npm', 'run', 'lint'], timeoutMs: 1000 },
];
const red: GateOutcome = { kind: 'failed', name: 'test', exit: 1, tail: '1 test is red' };
const green: GateOutcome = { kind: 'passed', name: 'test' };
const unable: GateOutcome = { kind: 'unable', name: 'test', why: 'npm is not there' };

function gated(agents: readonly string[], more: Partial<AttemptSettings> = {}): AttemptSettings {
  return settingsFor(agents, {}, { gates: GATES, ...more });
}

const WARNS = GATES.map((gate) => ({ ...gate, warns: true }));

table('gates that only warn', [
  [
    'a red one fails nothing: the others are asked, and prove it',
    {
      settings: gated(['a'], { gates: [...WARNS.slice(0, 1), ...GATES.slice(1)] }),
      attempts: [done],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'one that can not run is no more than that',
    {
      settings: gated(['a'], { gates: [...GATES.slice(0, 1), ...WARNS.slice(1)] }),
      attempts: [done],
      gates: [green, unable],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'green or red, they prove nothing',
    { settings: gated(['a'], { gates: WARNS }), attempts: [done], gates: [green, red] },
    ['looks', 'a', 'gate test', 'gate lint', 'unverified: done'],
  ],
  [
    'one that was lost is asked again',
    {
      settings: gated(['a'], { gates: WARNS.slice(0, 1) }),
      attempts: [done],
      gates: ['lost', red],
    },
    ['looks', 'a', 'gate test', 'gate test', 'unverified: done'],
  ],
]);

table('gates', [
  [
    'all green: it succeeded',
    { settings: gated(['a']), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a red one: the same agent mends it, the others are not asked',
    { settings: gated(['a', 'b']), attempts: [done, done], gates: [red] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'work that failed is not judged',
    { settings: gated(['a']), attempts: [failed('crashed')] },
    ['looks', 'a', 'failed: a: crashed'],
  ],
  [
    'three fixes an agent, then the next one, then it failed',
    {
      settings: gated(['a', 'b']),
      attempts: Array.from({ length: 9 }, () => done),
      gates: Array.from({ length: 9 }, () => red),
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'a at 2 s', 'gate test', 'a at 3 s'],
      ...['gate test', 'looks', 'b at 4 s', 'gate test', 'b at 5 s', 'gate test', 'b at 6 s'],
      ...['gate test', 'b at 7 s', 'gate test', 'failed: gate test: 1 test is red'],
    ],
  ],
  [
    "one that can't run is red; twice the same, and nobody can mend it",
    { settings: gated(['a', 'b']), attempts: [done, done], gates: [unable, unable] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'failed: gate test: npm is not there'],
  ],
  [
    'one that was lost with its owner runs again',
    { settings: gated(['a']), attempts: [done], gates: ['lost', green] },
    ['looks', 'a', 'gate test', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'losses on the way take nothing from work that is proven at last',
    { settings: gated(['a']), attempts: ['lost', done], gates: ['lost', green] },
    ['looks', 'a', 'a at 1 s', 'gate test', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'one that is lost again and again ends the run, which did not succeed',
    { settings: gated(['a']), attempts: [done], gates: ['lost', 'lost', 'lost'] },
    [
      ...['looks', 'a', 'gate test', 'gate test', 'gate test'],
      'exhausted: the attempt was lost 3 times with its owner',
    ],
  ],
  [
    '--once: what is red stays red',
    { settings: gated(['a'], { once: true }), attempts: [done], gates: [red] },
    ['looks', 'a', 'gate test', 'failed: gate test: 1 test is red'],
  ],
  [
    'a stop while a gate runs: it is called off, and the work counts as stopped',
    { settings: gated(['a']), attempts: [done], says: { 'gate-1-0': 'stop' } },
    ['looks', 'a', 'gate test', 'asks gate-1-0', 'cancelled: stopped by the user during attempt 1'],
  ],
]);

test('a gate that is run again has a key of its own', () => {
  const { events } = playAttempts({
    settings: gated(['a']),
    attempts: [done],
    gates: ['lost', 'lost', green],
  });
  const keys = events.flatMap((event) =>
    event.type === 'command.begun' && event.payload.command === 'gate' ? [event.payload.key] : [],
  );
  assert.deepEqual(keys, ['gate-1-0', 'gate-1-0.2', 'gate-1-0.3', 'gate-1-1']);
});

describe('what the next attempt is told', () => {
  const { prompts } = playAttempts({
    settings: gated(['a']),
    attempts: [{ kind: 'completed', summary: 'All </words> done' }, done],
    gates: [{ ...red, tail: `${'x'.repeat(9000)}the end` }],
  });
  const [first = '', second = ''] = prompts;

  test('the first one gets the task and nothing else', () => assert.equal(first, 'the task'));

  test('who was there, what it said, which gate said what, and the task last', () => {
    assert.match(
      second,
      /^This is attempt 2 .*Attempt 1, by a, said that it was done, and it was not/,
    );
    assert.match(second, /<words-([0-9a-f]{8})>\nAll <\/words> done\n<\/words-\1>/);
    assert.match(second, /The check "test" failed/);
    assert.match(second, /the end\n<\/check-[0-9a-f]{8}>/);
    assert.match(second, /do not do again what is done/);
    assert.ok(second.endsWith('\n\nthe task'));
  });

  test('however much there is to say, it is bounded', () => assert.ok(second.length < 6000));

  test('a failure is told by its kind', () => {
    const played = playAttempts({
      settings: settingsFor(['a', 'b']),
      attempts: [failed('context_overflow'), done],
    });
    assert.match(played.prompts[1] ?? '', /did not finish it \(context_overflow\)/);
    assert.match(played.prompts[1] ?? '', /work in smaller steps/);
  });

  test('in a conversation of its own an agent hears only what is new', () => {
    const { inputs } = playAttempts({
      attempts: [failed('needs_input', { session: 's1' }), done],
    });
    assert.equal(inputs[1]?.resume, 's1');
    assert.match(inputs[1].resumePrompt ?? '', /^Nobody is here to answer/);
  });
});

describe('what the loop says', () => {
  const cases: [why: string, script: Script, log: string[]][] = [
    ['nothing where all goes well', { attempts: [done] }, []],
    [
      'a switch, and how many retries it took',
      { settings: settingsFor(['a', 'b']), attempts: [failed('auth'), done] },
      [
        '[supervisor] switching from a to b (fallback, this run only)',
        '[supervisor] completed after 1 retries',
      ],
    ],
    [
      'a retry with its number, when its wait begins',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('crashed'), 'open'],
      },
      ['[supervisor] retry 1/3 with a in 5s'],
    ],
    [
      'a crash',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('oom', { exit: 137 }), 'open'],
      },
      ['[supervisor] container crashed (exit 137), restarting...'],
    ],
    [
      'a rest',
      { attempts: [failed('rate_limited', { resetMs: 60_000 }), 'open'] },
      ['[supervisor] cooling until 2026-01-01T00:01:00.000Z: a is limited until then'],
    ],
    [
      'a fix',
      { settings: gated(['a']), attempts: [done, 'open'], gates: [red] },
      ['[supervisor] retry 1/3 with a in 0s'],
    ],
    ['a stop', { attempts: ['open'], says: { 'attempt-1': 'stop' } }, ['user_cancel requested']],
    ['a kill', { attempts: ['open'], says: { 'attempt-1': 'kill' } }, ['user_kill requested']],
  ];
  for (const [why, script, log] of cases)
    test(why, () => assert.deepEqual(playAttempts(script).log, log));
});

describe('a run of an older release', () => {
  const settings = {
    agent: { id: 'claude', cli: 'scripted' },
    graceMs: 5000,
    deadlineMs: null,
    lostMax: 2,
    outputBytesMax: 1000,
  };
  const submission: Submission = { program: 'attempts', task: 't', project: '/app', settings };
  const begun: NewEvent = {
    type: 'command.begun',
    payload: {
      key: 'attempt-1',
      command: 'attempt',
      input: { ...settings, prompt: 't' },
      limits: [],
    },
  };

  test('still folds, and what it had lost goes on', () => {
    const facts: NewEvent[] = [
      begun,
      { type: 'command.ended', payload: { key: 'attempt-1', end: { kind: 'lost' } } },
    ];
    const state = facts.reduce(
      (before, event, index) =>
        attemptsProgram.fold(before, {
          id: index,
          stream: 'run/a',
          seq: index + 2,
          v: EVENT_VERSION,
          at: 0,
          ...event,
        }),
      attemptsProgram.start(submission),
    );
    const [move] = attemptsProgram.next(state, at(0), 0);
    assert.equal(move?.kind === 'perform' ? move.key : undefined, 'attempt-2');
  });
});

test('the place of a run counts against its project and its identity', () => {
  const capacity = { runsMax: 3, perAgentMax: 1 };
  assert.deepEqual(limitsWith({}), ['attempts', 'project:/app', 'agent:a::::::m']);
  assert.deepEqual(limitsWith({ capacity }), [
    'attempts',
    { key: 'project:/app', max: 3 },
    { key: 'agent:a::::::m', max: 1 },
  ]);
});

/** Those of the first attempt. */
function limitsWith(pinned: Partial<AttemptSettings>): readonly unknown[] | undefined {
  const settings = settingsFor(['a']);
  const submission: Submission = {
    program: 'attempts',
    task: 't',
    project: '/app',
    settings: { ...settings, ...pinned, chain: [agent('a', { model: 'm' })] },
  };
  let state = attemptsProgram.start(submission);
  const write = (event: NewEvent): void => {
    const stored = { id: 1, stream: 'run/a', seq: 2, v: EVENT_VERSION, at: 0, ...event };
    state = attemptsProgram.fold(state, stored);
  };
  const begun = { key: 'survey-1', command: 'survey', input: {}, limits: [] };
  write({ type: 'command.begun', payload: begun });
  const result = { at: '', cooling: [], uses: {}, lastFirst: null };
  write({ type: 'command.ended', payload: { key: 'survey-1', end: { kind: 'done', result } } });
  const [move] = attemptsProgram.next(state, at(0), 0);
  return move?.kind === 'perform' ? move.limits : undefined;
}

test('an outcome fits its schema however much the agent has to say', () => {
  for (const length of [REASON_MAX, REASON_MAX + 1, 100_000]) {
    const { events }: Played = playAttempts({
      attempts: [{ kind: 'completed', summary: 'x'.repeat(length) }],
    });
    const last = events.at(-1);
    const outcome = RunOutcome.parse(last?.type === 'run.ended' ? last.payload.outcome : undefined);
    assert.equal(outcome.reason.length, REASON_MAX);
  }
});
