import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVENT_VERSION } from '../../../src/protocol/event.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { PINNED_DEFAULTS } from '../../support/pinned-defaults.ts';
import type { NewEvent } from '../../../src/protocol/event.ts';
import { AGENT_INVARIANTS, INVARIANTS } from './invariants.ts';
import { CHILD_RULES } from './child-rules.ts';
import { TREE_RULES } from './tree-rules.ts';
import type { Fact, Process, WorldRecord } from './record.ts';
import { runEvent, submission } from '../../support/run-event.ts';

const PEACE: WorldRecord = {
  seed: 1,
  limits: [],
  facts: [],
  kept: [],
  processes: [],
  acks: [],
  followed: [],
  eras: [{ fromMs: 0, offsetMs: 0 }],
  troubles: [],
  faults: [],
  remarks: [],
  defects: [],
  differences: [],
  stuck: [],
  logs: [],
  queue: [],
  trees: null,
  laid: [],
};

/** The facts of one run, one a second. */
function story(...events: readonly NewEvent[]): readonly Fact[] {
  return [submitted, ...events].map((event, index) => ({
    ...event,
    id: index + 1,
    stream: 'run/r',
    seq: index + 1,
    v: EVENT_VERSION,
    at: index * 1000,
    elapsedMs: index * 1000,
  }));
}

const submitted: NewEvent = runEvent({
  type: 'run.submitted',
  payload: {
    program: 'attempts',
    task: 't',
    project: '/p',
    settings: { ...PINNED_DEFAULTS, agent: { id: 'a', cli: 'a' }, interruptionsMax: 0 },
  },
});
const over: NewEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'unverified', reason: 'done' } },
};
const exhausted: NewEvent = {
  type: 'run.ended',
  payload: {
    outcome: { kind: 'exhausted', reason: 'interrupted 2 times because the owner ended' },
  },
};
const kill: NewEvent = { type: 'signal.received', payload: { signal: { kind: 'kill' } } };

function begun(key: string, command = 'attempt', until?: number): NewEvent {
  const input = until === undefined ? {} : { until };
  return runEvent({ type: 'command.begun', payload: { key, command, input, limits: [] } });
}

function done(key: string): NewEvent {
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'done', result: {} } } });
}

function lost(key: string): NewEvent {
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'interrupted' } } });
}

const RECOVERY = defaultSettings.recovery;

/** A run whose attempts end like this, in order. */
function tried(
  settings: object,
  results: readonly Record<string, unknown>[],
  kind: 'unverified' | 'succeeded' | 'failed' = 'unverified',
): readonly Fact[] {
  const [first, ...rest] = story(
    ...results.flatMap((result, nth): NewEvent[] => [
      begun(`attempt-${nth + 1}`),
      runEvent({
        type: 'command.ended',
        payload: { key: `attempt-${nth + 1}`, end: { kind: 'done', result } },
      }),
    ]),
    { type: 'run.ended', payload: { outcome: { kind, reason: 'done' } } },
  );
  if (first?.type !== 'run.submitted') throw new Error('no first fact');
  const agent = { id: 'a', cli: 'a' };
  const pinned = { ...PINNED_DEFAULTS, agent, interruptionsMax: 0, ...settings };
  const payload = submission({ ...first.payload, settings: pinned });
  return [{ ...first, payload }, ...rest];
}

/** An attempt that leaves files of that name, and its gate, which is red, or known to be red. */
function judgedRed(nth: number, content: string, isKnown = false): readonly NewEvent[] {
  const [attempt, gate] = [`attempt-${nth}`, `gate-${nth}-0`];
  const ends = (key: string, result: object): NewEvent =>
    runEvent({ type: 'command.ended', payload: { key, end: { kind: 'done', result } } });
  const red = { kind: 'failed', name: 'test', exit: 1, tail: 'red' };
  const known = { place: 0, outcome: red, since: nth - 1 };
  return [
    begun(attempt),
    runEvent({
      type: 'command.noted',
      payload: { key: attempt, note: { kind: 'committed', content } },
    }),
    ends(attempt, { kind: 'completed', summary: 'done' }),
    runEvent({
      type: 'command.begun',
      payload: { key: gate, command: 'gate', input: isKnown ? { known } : {}, limits: [] },
    }),
    ends(gate, red),
  ];
}

function failing(reason: string): Record<string, unknown> {
  return { kind: 'failed', reason, message: reason };
}

function process(bornOrder: number, diedOrder: number | null, more: Partial<Process>): Process {
  return {
    pid: 1000 + bornOrder,
    owner: 1,
    run: 'r',
    key: `attempt-${bornOrder}`,
    command: 'attempt',
    wasOnRecord: true,
    limits: [],
    startedMs: 0,
    begunMs: 0,
    era: 0,
    bornOrder,
    diedOrder,
    diedMs: diedOrder === null ? null : 0,
    graceMs: 0,
    endless: false,
    ...more,
  };
}

function broken(record: Partial<WorldRecord>): readonly string[] {
  const whole = { ...PEACE, ...record };
  return INVARIANTS.filter(({ breaches }) => breaches(whole).length > 0).map(({ name }) => name);
}

describe('an invariant', () => {
  test('holds in a world without faults', () => {
    assert.deepEqual(broken({ facts: story(begun('attempt-1'), done('attempt-1'), over) }), []);
  });

  const one = [{ key: 'x', concurrencyMax: 1 }];
  const slowly = [{ key: 'x', rate: { startsMax: 1, perMs: 1000 } }];
  const circles = Array.from({ length: 50 }, (_, n) => [
    begun(`check-availability-${n}`, 'check-availability'),
    done(`check-availability-${n}`),
  ]).flat();
  const two = story(begun('a-1'), done('a-1'), over);
  const paused = story({ type: 'signal.received', payload: { signal: { kind: 'pause' } } }, over);
  const unready = tried({ setup: {} }, [{ kind: 'completed', summary: '' }]);
  const breaches: [why: string, name: string, record: Partial<WorldRecord>][] = [
    ['a defect', 'there are no defects', { defects: ['Error: oh'] }],
    [
      'two attempts of one run at once',
      'a run has one live attempt at most',
      { processes: [process(1, 4, {}), process(2, 3, {})] },
    ],
    [
      'a beginning after a kill',
      'nothing begins after a stop',
      { facts: story(kill, begun('a-1'), done('a-1'), over) },
    ],
    [
      'a process that outlives a kill',
      'a stop is carried out within the grace, a kill at once',
      {
        facts: story(begun('a-1'), kill, done('a-1'), over),
        processes: [process(1, 2, { startedMs: 1000, diedMs: 9000 })],
      },
    ],
    [
      'a key that begins twice',
      'every command and every run ends once',
      { facts: story(begun('a-1'), done('a-1'), begun('a-1'), done('a-1'), over) },
    ],
    [
      'a command that ends twice',
      'every command and every run ends once',
      { facts: story(begun('a-1'), done('a-1'), done('a-1'), over) },
    ],
    [
      'an end with something open',
      'every command and every run ends once',
      { facts: story(begun('a-1'), over) },
    ],
    [
      'a run that ends twice',
      'every command and every run ends once',
      { facts: story(over, over) },
    ],
    ['a run without an end', 'every command and every run ends once', { facts: story() }],
    [
      'a start that is acknowledged too early',
      'an acknowledged fact is never lost',
      { facts: two, acks: [{ kind: 'started', run: 'r', facts: 0 }] },
    ],
    [
      'two signals acknowledged, one on record',
      'an acknowledged fact is never lost',
      {
        facts: story(kill, over),
        acks: [1, 2].map(() => ({ kind: 'signalled', run: 'r', signal: 'kill', facts: 3 })),
      },
    ],
    [
      'a fact that the journal acknowledged and lost',
      'an acknowledged fact is never lost',
      { facts: story(over), kept: story(over, over).map(({ elapsedMs: _when, ...fact }) => fact) },
    ],
    [
      'a hole in a stream',
      'every stream has no gap, and ids grow',
      { facts: two.map((fact) => ({ ...fact, seq: fact.seq * 2 })) },
    ],
    [
      'an execution of a command that is not on record',
      'begun is durable before it is performed',
      { processes: [process(1, 2, { wasOnRecord: false })] },
    ],
    [
      'two at once where one may be',
      'no limit is exceeded',
      {
        limits: one,
        processes: ['r', 's'].map((run, n) => process(n + 1, n + 3, { run, limits: ['x'] })),
      },
    ],
    [
      'two starts where one may be',
      'no limit is exceeded',
      {
        limits: slowly,
        processes: [
          process(1, 2, { limits: ['x'] }),
          process(3, 4, { limits: ['x'], startedMs: 999 }),
        ],
      },
    ],
    [
      'a hundred facts in no time',
      'no run decides in circles',
      { facts: story(...circles, over).map((fact) => ({ ...fact, elapsedMs: 0 })) },
    ],
    ['a wrong snapshot', 'the fast state equals the folded state', { differences: ['so'] }],
    [
      'one interruption too many',
      'interrupted attempts are bounded',
      { facts: story(begun('a-1'), lost('a-1'), begun('a-2'), lost('a-2'), exhausted) },
    ],
    [
      'a run that is given up without an interruption',
      'interrupted attempts are bounded',
      { facts: story(begun('a-1'), done('a-1'), exhausted) },
    ],
    [
      'an attempt too many',
      'attempts are bounded, even if owners die',
      { facts: tried({ recovery: { ...RECOVERY, attemptsMax: 1 } }, [{}, {}]) },
    ],
    [
      'a limit that is tried at once',
      'a limit is not tried again before its end',
      { facts: tried({}, [failing('rate_limited'), {}]) },
    ],
    [
      'an agent that failed and comes back',
      'an identity that failed is not tried again',
      { facts: tried({}, [failing('crashed'), {}]) },
    ],
    [
      'a spent budget without a question',
      'a spent budget waits for a person',
      { facts: tried({}, [failing('budget'), {}]) },
    ],
    [
      'a success without a gate',
      'a successful run was verified, and a run without gates is unverified',
      { facts: tried({}, [{}], 'succeeded') },
    ],
    [
      'gates that did not run',
      'a successful run was verified, and a run without gates is unverified',
      { facts: tried({ gates: [{ name: 'g', command: ['g'], timeoutMs: 1 }] }, [{}]) },
    ],
    [
      'a follower that misses a fact',
      'a follower sees each fact once and in order',
      { facts: two, followed: [{ run: 'r', after: 0, seen: [1, 2, 4], complete: true }] },
    ],
    [
      'a wait that ends early',
      'a wait ends at its time',
      { facts: story(begun('w-1', 'wait', 5000), done('w-1'), over) },
    ],
    [
      'a wait that ends late',
      'a wait ends at its time',
      { facts: story(begun('w-1', 'wait', 1000), done('w-1'), over) },
    ],
    ['an end in a pause', 'a paused run begins nothing but questions', { facts: paused }],
    ['no setup', 'no attempt begins before its setup, which is done once', { facts: unready }],
    [
      'an attempt on a base that no gate has judged',
      'every gate judges the base once, before the first attempt',
      {
        facts: tried(
          { baseline: true, gates: [{ name: 'test', command: ['true'], timeoutMs: 1 }] },
          [failing('crashed')],
          'failed',
        ),
      },
    ],
    [
      'a red gate that runs again on the same files',
      'no red gate runs again on the same files, unless its agent is stuck',
      { facts: story(...judgedRed(1, 'one'), ...judgedRed(2, 'one'), over) },
    ],
    [
      'an agent that is tried again after it changed nothing twice',
      'an agent that changes nothing is not tried a third time',
      {
        facts: story(
          ...judgedRed(1, 'one'),
          ...judgedRed(2, 'one', true),
          ...judgedRed(3, 'one'),
          begun('attempt-4'),
          done('attempt-4'),
          over,
        ),
      },
    ],
    ['a run that is stuck', 'every run and every process ends', { stuck: ['r'] }],
    [
      'a process that stays alive',
      'every run and every process ends',
      { processes: [process(1, null, {})] },
    ],
  ];
  for (const [why, name, record] of breaches) {
    test(`is broken by ${why}`, () => assert.deepEqual(broken(record), [name]));
  }

  test('tolerates a wait that a fault delayed', () => {
    const facts = story(begun('w-1', 'wait', 1000), done('w-1'), over);
    assert.deepEqual(broken({ facts, troubles: [{ fromMs: 500, toMs: 2000 }] }), []);
  });

  test('does not count the waits that a fork repeats as interruptions', () => {
    const waits = ['wait-1', 'wait-2', 'wait-3'].flatMap((key) => [
      begun(key, 'wait', 0),
      lost(key),
    ]);
    assert.deepEqual(broken({ facts: story(...waits, over) }), []);
  });

  test('is named by at least one case here, unless it is about agents, trees or children', () => {
    const named = new Set([
      ...breaches.map(([, name]) => name),
      ...[...AGENT_INVARIANTS, ...TREE_RULES, ...CHILD_RULES].map(({ name }) => name),
    ]);
    assert.deepEqual(
      INVARIANTS.map(({ name }) => name).filter((name) => !named.has(name)),
      [],
    );
  });
});
