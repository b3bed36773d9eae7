import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  forked,
  historyOfFork,
  limited,
  notes,
  historyOfFacts,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { RunStatus } from '../../protocol/views/run-status.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { explainRun } from './explain-run.ts';

const MINUTE = 60;

function signal(kind: 'stop' | 'kill'): NewRunEvent {
  return { type: 'signal.received', payload: { signal: { kind } } };
}

function received(agentSignal: Signal): NewRunEvent {
  return { type: 'signal.received', payload: { signal: agentSignal } };
}

/** The chain with its evidence, one line each, and what to do. */
function explain(
  events: readonly RecordedRun[],
  now = 600,
  state: RunStatus = 'running',
): readonly string[] {
  const { chain, next } = explainRun(historyOfFacts(events), state, now * 1000);
  return [
    ...chain.flatMap(({ what, evidence }) => [
      what,
      ...evidence.map(({ source, line, rule }) => `  ${source}: ${line} (${rule})`),
    ]),
    ...(next === null ? [] : [`→ ${next}`]),
  ];
}

const RED = { kind: 'failed', name: 'test', exit: 1 };

describe('why a run is as it is', () => {
  const cases: [why: string, events: RecordedRun[], lines: string[]][] = [
    [
      'a child run that failed, beside one that is active',
      [
        [0, submitted()],
        [1, begins('run-1', 'run', { run: 'bbbbbbbbbb', submission: { task: 'plan' } })],
        [1, begins('run-2', 'run', { run: 'cccccccccc', submission: { task: 'look' } })],
        [9, ends('run-1', { run: 'bbbbbbbbbb', outcome: { kind: 'failed', reason: 'no agent' } })],
      ],
      [
        'run-2, run cccccccccc, has been active for 9m59s',
        'run-1, run bbbbbbbbbb, failed: no agent',
        'it is running',
      ],
    ],
    [
      'a first agent that is cooling down',
      [
        [0, submitted()],
        [
          0,
          attempt(1, 'second', { kind: 'first', passedOver: [{ agent: 'main', until: 60_000 }] }),
        ],
      ],
      [
        'attempt 1 with second (main is cooling down until 1970-01-01T00:01:00.000Z) has been running for 10m00s',
        'it is running',
      ],
    ],
    [
      'the cost of each attempt, and whether only the CLI reports it',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [1, notes('attempt-1', { kind: 'spent', tokens: 9, usd: 0.254, calls: 1 })],
        [5, ends('attempt-1', { kind: 'failed', reason: 'crashed', message: 'exit 1' })],
        [5, attempt(2, 'second', { kind: 'switch', from: 'main' })],
        [
          6,
          ends('attempt-2', {
            kind: 'failed',
            reason: 'crashed',
            message: 'exit 1',
            usage: { costUsd: 2 },
          }),
        ],
      ],
      [
        'attempt 1 with main ($0.25) failed, crashed: exit 1',
        'attempt 2 with second (next in the chain after main; $2.00 as reported by the CLI) failed, crashed: exit 1',
        'it is running',
      ],
    ],
    [
      'work that no gate has checked',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, notes('attempt-1', { kind: 'committed', root: '/p', base: 'b', ref: 'r', files: 2 })],
        [5, ends('attempt-1', { kind: 'completed', summary: 'I fixed it' })],
        [5, ended('unverified', 'I fixed it')],
      ],
      [
        'attempt 1 with main says it is done: I fixed it',
        'unverified: no gate has checked what the agent says',
        '→ No gate has checked the work. Review it with: supervisor diff 0123456789. Apply it with: supervisor apply 0123456789',
      ],
    ],
    [
      'a setup that failed',
      [
        [0, submitted()],
        [0, begins('setup-1', 'setup', { command: ['npm', 'ci'] })],
        [
          5,
          ends('setup-1', { kind: 'failed', message: 'npm ci ended with code 1', tail: 'a\noh' }),
        ],
        [5, ended('blocked', 'npm ci ended with code 1\na\noh')],
      ],
      [
        'blocked: npm ci ended with code 1: oh',
        '→ If the setup is wrong, correct setup in .supervisor/config.yaml. Then: supervisor trust && supervisor run "…". If only this machine or its network was at fault, continue with: supervisor resume 0123456789',
      ],
    ],
    [
      'a limit, and the next agent',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, ends('attempt-1', limited('usage limit reached'))],
        [6, attempt(2, 'second', { kind: 'switch', from: 'main' })],
        [9, ends('attempt-2', { kind: 'completed', summary: 'done' })],
        [9, begins('gate-2-0', 'gate')],
        [10, ends('gate-2-0', { kind: 'passed', name: 'test' })],
        [10, ended('succeeded', 'done')],
      ],
      [
        'attempt 1 with main failed, rate_limited: usage limit reached',
        '  gateway: HTTP 429 rate_limit_error (http-429)',
        'attempt 2 with second (next in the chain after main) says it is done: done',
        'gate test: passed',
        'succeeded: done',
      ],
    ],
    [
      'a gate that stays red',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, ends('attempt-1', { kind: 'completed', summary: 'done' })],
        [6, ends('gate-1-0', { kind: 'failed', name: 'test', exit: 1, tail: 'ran 3\n1 failed\n' })],
        [7, attempt(2, 'main', { kind: 'gate', gate: 'test', nth: 1, of: 1 })],
        [8, ends('attempt-2', { kind: 'completed', summary: 'done now' })],
        [9, ends('gate-2-0', { kind: 'unable', name: 'test', why: 'npm is not there' })],
        [9, ended('failed', 'gate test could not run: npm is not there')],
      ],
      [
        'attempt 1 with main says it is done: done',
        'gate test was red: exit 1',
        '  gate: 1 failed (from its output)',
        'attempt 2 with main (to fix gate test) says it is done: done now',
        'gate test was red: npm is not there',
        'failed: gate test could not run: npm is not there',
        '→ If only this machine lacked something, install it. Then: supervisor resume 0123456789. If the gate is wrong, run the task again with another one: supervisor run "…" --gate "…"',
      ],
    ],
    [
      'the most telling line of a red gate, and its output instead of a diff of nothing',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, ends('attempt-1', { kind: 'completed', summary: 'done' })],
        [6, ends('gate-1-0', { ...RED, tail: 'AssertionError: -5 == 5\n  {\n  }\n' })],
        [6, ended('failed', 'gate test failed: AssertionError: -5 == 5')],
      ],
      [
        'attempt 1 with main says it is done: done',
        'gate test was red: exit 1',
        '  gate: AssertionError: -5 == 5 (from its output)',
        'failed: gate test failed: AssertionError: -5 == 5',
        '→ Read the output of gate test with: supervisor logs 0123456789. Continue with: supervisor resume 0123456789',
      ],
    ],
    [
      'an agent that changed nothing, and the next one',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, ends('attempt-1', { kind: 'completed', summary: 'done' })],
        [6, attempt(2, 'second', { kind: 'switch', from: 'main', unchanged: 2 })],
        [7, ends('attempt-2', { kind: 'completed', summary: 'fixed' })],
        [7, ended('unverified', 'fixed')],
      ],
      [
        'attempt 1 with main says it is done: done',
        'attempt 2 with second (next in the chain after main, which changed no file in 2 attempts) says it is done: fixed',
        'unverified: no gate has checked what the agent says',
        '→ No gate has checked the work. Add gates to .supervisor/config.yaml, or find them with: supervisor init',
      ],
    ],
    [
      'a gate that was interrupted is not red, and has its name',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, ends('attempt-1', { kind: 'completed', summary: 'done' })],
        [5, begins('gate-1-0', 'gate', { name: 'test' })],
        [6, ends('gate-1-0', { kind: 'interrupted' })],
        [6, begins('gate-1-0.2', 'gate', { name: 'test' })],
        [7, ends('gate-1-0.2', { kind: 'passed', name: 'test' })],
        [7, ended('succeeded', 'done')],
      ],
      [
        'attempt 1 with main says it is done: done',
        'gate test was interrupted: the owner ended',
        'gate test: passed',
        'succeeded: done',
      ],
    ],
    [
      'the same failure again and again is one cause',
      [
        [0, submitted()],
        ...[1, 2, 3].flatMap((number): RecordedRun[] => [
          [
            number,
            attempt(number, 'main', { kind: number === 1 ? 'first' : 'retry', nth: 1, of: 3 }),
          ],
          [
            number,
            ends(`attempt-${number}`, { kind: 'failed', reason: 'auth', message: 'HTTP 401' }),
          ],
        ]),
        [9, ended('failed', 'main: HTTP 401')],
      ],
      [
        'attempts 1 to 3 with main failed, auth: HTTP 401',
        'failed: main: HTTP 401',
        '→ Log in to main again, or give main a valid key. Then: supervisor resume 0123456789',
      ],
    ],
    [
      'waits that are over, ended early, or too short to matter',
      [
        [0, submitted()],
        [0, begins('wait-1', 'wait', { until: 100, reason: 'retry', why: 'retry 1/3' })],
        [0, ends('wait-1', {})],
        [
          1,
          begins('wait-1', 'wait', { until: 9e6, reason: 'cooldown', why: 'main is cooling down' }),
        ],
        [1 + 20 * MINUTE, ends('wait-1', { skipped: true })],
        [1 + 20 * MINUTE, ended('exhausted', 'no agent is left')],
      ],
      [
        'it waited 20m00s: main is cooling down, and a person ended the wait',
        'exhausted: no agent is left',
        '→ Read its output with: supervisor logs 0123456789. Continue with: supervisor resume 0123456789',
      ],
    ],
    [
      'a person stopped it',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [5, signal('stop')],
        [6, ends('attempt-1', { kind: 'stopped' })],
        [6, ended('cancelled', 'stopped by the user')],
      ],
      [
        'a person stopped it during attempt 1',
        'attempt 1 with main was stopped',
        'stopped by the user',
        '→ Continue the run with: supervisor resume 0123456789',
      ],
    ],
    [
      'a question that a person answered, and one that is open',
      [
        [0, submitted()],
        [0, begins('ask-1', 'ask', { question: 'Which port?' })],
        [9, ends('ask-1', { answer: '80' })],
        [60, begins('ask-2', 'ask', { question: 'Spend more?' })],
      ],
      [
        'a person answered "80" to: Which port?',
        'it has asked for 9m00s: Spend more?',
        'it is running',
        '→ Answer the question with: supervisor answer 0123456789 "…"',
      ],
    ],
    [
      'an attempt that was interrupted, and one that is running',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [1, ends('attempt-1', { kind: 'interrupted' })],
        [2, attempt(2, 'main', { kind: 'interrupted' })],
      ],
      [
        'attempt 1 with main was interrupted: the owner ended',
        'attempt 2 with main (repeated after an interruption) has been running for 9m58s',
        'it is running',
      ],
    ],
    [
      'a long-lived agent, turn by turn',
      [
        [0, submitted('t', { program: 'agent' })],
        [1, received({ kind: 'start-life', life: 1 })],
        [1, attempt(1, 'ada', { kind: 'turn', life: 1, cause: 'first' })],
        [5, ends('attempt-1', { kind: 'failed', reason: 'oom', message: 'no memory' })],
        [6, received({ kind: 'start-life', life: 2 })],
        [6, attempt(2, 'ada', { kind: 'turn', life: 2, cause: 'restarted' })],
        [9, ends('attempt-2', { kind: 'completed', summary: 'half of it' })],
        [9, received({ kind: 'dismiss', because: 'enough' })],
        [10, ended('cancelled', 'dismissed: enough')],
      ],
      [
        'life 1 starts',
        'turn 1 with ada failed, oom: no memory',
        'life 2 starts',
        'turn 2 with ada (after a restart) says: half of it',
        'dismissed: enough',
        'cancelled: dismissed: enough',
      ],
    ],
    [
      'a long-lived agent whose supervisor has not started it',
      [[0, submitted('t', { program: 'agent' })]],
      ['its supervisor has not started a life for 10m00s'],
    ],
    ['a run that is about to begin', [[0, submitted()]], ['it has been running for 10m00s']],
    [
      'a setup that runs',
      [
        [0, submitted()],
        [0, begins('setup-1', 'setup', { command: ['npm', 'ci'] })],
      ],
      ['it has been running for 10m00s: its setup runs'],
    ],
    [
      'a gate that runs on the base',
      [
        [0, submitted()],
        [0, begins('baseline-1', 'baseline', { name: 'test' })],
      ],
      ['it has been running for 10m00s: gate test runs on the base'],
    ],
    [
      'attempts that were interrupted one after the other are not one cause',
      [
        [0, submitted()],
        [0, attempt(1, 'main', { kind: 'first' })],
        [1, ends('attempt-1', { kind: 'interrupted' })],
        [2, attempt(2, 'main', { kind: 'interrupted' })],
        [3, ends('attempt-2', { kind: 'interrupted' })],
      ],
      [
        'attempt 1 with main was interrupted: the owner ended',
        'attempt 2 with main (repeated after an interruption) was interrupted: the owner ended',
        'it is running',
      ],
    ],
  ];
  for (const [why, events, lines] of cases)
    test(why, () => assert.deepEqual(explain(events), lines));

  test('the end of a run is told whole, because its last words say what to do', () => {
    const reason = `gate a can't run: ${'x'.repeat(600)}\nCorrect the gate`;
    const told = explain([
      [0, submitted()],
      [1, ended('refused', reason)],
    ]);
    assert.ok(told.includes(`refused: gate a can't run: ${'x'.repeat(600)}. Correct the gate`));
  });

  test('a long text of an agent is truncated, and a long chain shows only its first and last links', () => {
    const many = Array.from({ length: 60 }, (_, place): RecordedRun[] => [
      [place, attempt(place + 1, 'main', { kind: 'retry', nth: place, of: 99 })],
      [
        place,
        ends(`attempt-${place + 1}`, {
          kind: 'failed',
          reason: 'crashed',
          message: `${place} ${'x'.repeat(999)}`,
        }),
      ],
    ]).flat();
    const { chain } = explainRun(historyOfFacts([[0, submitted()], ...many]), 'running', 0);
    assert.equal(chain.length, 42);
    assert.ok(chain.every(({ what }) => what.length <= 300));
    assert.equal(chain[20]?.what, '… 20 more …');
  });

  test('says when no owner ran while it was active, in its place in the order', () => {
    const history = historyOfFacts([
      [0, submitted()],
      [1, attempt(1, 'main')],
      [25 * MINUTE, ends('attempt-1', { kind: 'interrupted' })],
      [25 * MINUTE, attempt(2, 'main')],
      [30 * MINUTE, ends('attempt-2', { kind: 'completed', summary: 'done' })],
      [30 * MINUTE, ended('unverified', 'done')],
    ]);
    const minutes = (from: number, to: number): { from: number; to: number } => ({
      from: from * MINUTE * 1000,
      to: to * MINUTE * 1000,
    });
    const downtimes = [minutes(10, 25), minutes(40, 50)]; // the second one is after its end
    const { chain } = explainRun(history, 'unverified', 1e9, { downtimes });
    assert.deepEqual(
      chain.map(({ what }) => what),
      [
        'no owner ran from 1970-01-01T00:10:00.000Z to 1970-01-01T00:25:00.000Z (15m00s), and the run stood still',
        'attempt 1 with main was interrupted: the owner ended',
        'attempt 2 with main (repeated after an interruption) says it is done: done',
        'unverified: no gate has checked what the agent says',
      ],
    );
  });
});

test('a resumed run is explained with its own times, after what it inherited', () => {
  const first: readonly RecordedRun[] = [
    [0, submitted()],
    [0, attempt(1, 'main')],
    [1, ends('attempt-1', limited('usage limit'))],
  ];
  const history = historyOfFork(first, 'ffffffffff', [
    [100, forked(0.5)],
    [101, attempt(2, 'second', { kind: 'switch', from: 'main' })],
  ]);
  const { chain } = explainRun(history, 'running', 161_000);
  assert.deepEqual(
    chain.map(({ at, what }) => [at / 1000, what]),
    [
      [1, 'attempt 1 with main failed, rate_limited: usage limit'],
      [100, 'it continues run 0123456789; $0.50 was spent before it'],
      [101, 'attempt 2 with second (next in the chain after main) has been running for 1m00s'],
      [101, 'it is running'],
    ],
  );
});

test('a run that was resumed twice names both runs that it continues, and how they ended', () => {
  const twice = [
    [100, forked()],
    [200, runEvent({ type: 'run.ended', payload: { outcome: { kind: 'failed', reason: 'x' } } })],
  ] as const;
  const once = historyOfFork([[0, submitted()]], 'eeeeeeeeee', twice);
  const history = historyOfFork([], 'ffffffffff', [[300, forked(0.5, 'eeeeeeeeee')]], once);
  const endsBefore = new Map([
    ['0123456789', { kind: 'cancelled', reason: 'stopped by the user' } as const],
    ['eeeeeeeeee', { kind: 'failed', reason: 'main: HTTP 401' } as const],
  ]);
  const { chain } = explainRun(history, 'running', 300_000, { endsBefore });
  assert.deepEqual(
    chain.map(({ what }) => what),
    [
      'run eeeeeeeeee continues run 0123456789, which ended: stopped by the user',
      'it continues run eeeeeeeeee, which ended: failed: main: HTTP 401; $0.50 was spent before it',
      'it has been running for 0s',
    ],
  );
});

test('the story is marked apart from its details', () => {
  const { chain } = explainRun(
    historyOfFacts([
      [0, submitted()],
      [0, attempt(1, 'main')],
      [1, ends('attempt-1', { kind: 'completed', summary: 'done' })],
      [2, ends('gate-1-0', { kind: 'passed', name: 'lint' })],
      [3, ends('gate-1-1', { ...RED, tail: '' })],
      [3, begins('wait-1', 'wait', { until: 9000, reason: 'retry', why: 'retry 1/3' })],
      [9, ends('wait-1', {})],
      [9, attempt(2, 'main', { kind: 'gate', gate: 'test', nth: 1, of: 1 })],
      [10, ends('attempt-2', { kind: 'completed', summary: 'done' })],
      [11, ends('gate-2-0', { kind: 'passed', name: 'lint' })],
      [11, ended('succeeded', 'done')],
    ]),
    'succeeded',
    11_000,
  );
  assert.deepEqual(
    chain.filter(({ isDetail }) => isDetail).map(({ what }) => what),
    ['gate lint: passed', 'it waited 6s: retry 1/3'],
  );
});

test('a run that was resumed names the run that continues it', () => {
  const history = historyOfFacts([
    [0, submitted()],
    [1, ended('killed', 'stopped by the user')],
  ]);
  const { next } = explainRun(history, 'killed', 9000, { resumedAs: 'ffffffffff' });
  assert.equal(
    next,
    'It was resumed as ffffffffff. See how that went with: supervisor why ffffffffff',
  );
});
