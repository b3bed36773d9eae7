import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewRunEvent, StoredEvent } from '../protocol/event.ts';
import { runStream } from '../protocol/streams.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  limited,
  notes,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import { AttemptCollector } from './attempt-collector.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import { readRecords, writeRecords } from './ended-attempt.ts';

/** The run, the second, and the event. */
type Fact = readonly [run: string, second: number, event: NewRunEvent];

function stored(facts: readonly Fact[]): readonly StoredEvent[] {
  return facts.map(([run, second, event], index): StoredEvent => ({
    ...event,
    id: index + 1,
    stream: runStream(run),
    seq: index + 1,
    v: 1,
    at: second * 1000,
  }));
}

function collected(facts: readonly Fact[], max = 100): AttemptCollector {
  const collector = new AttemptCollector(max);
  for (const fact of stored(facts)) collector.count(fact);
  return collector;
}

/** What is stored of it. */
function plain(collector: AttemptCollector): unknown {
  return JSON.parse(JSON.stringify([collector.records, collector.state()]));
}

const DONE = { kind: 'completed', summary: 'done' };
const PASSED = { kind: 'passed', name: 'test' };
const FAILED = { kind: 'failed', name: 'test', exit: 1, tail: '' };
const reserved = (call: number) =>
  notes('attempt-1', { kind: 'reserved', call, tokens: 9, usd: 9 });
const spent = (call: number, tokens: number, usd: number) =>
  notes('attempt-1', { kind: 'spent', settled: [call], tokens, usd, calls: 1 });

/** A workflow whose step started the run `child`. */
const WORKFLOW: readonly Fact[] = [
  [
    'flow',
    0,
    submitted('t', {
      program: 'workflow',
      settings: {
        workflow: { definition: { name: 'mvp', steps: { implement: {}, 'test-2': {} } } },
      },
    }),
  ],
  [
    'child',
    1,
    submitted('t', {
      settings: { brief: { role: 'developer', answer: 'implementation' } },
      parent: { run: 'flow', key: 'step-implement-1', depth: 1 },
    }),
  ],
  ['child', 2, attempt(1, 'main', undefined, 'claude')],
  ['child', 5, ends('attempt-1', DONE)],
  ['child', 6, ended('unverified', 'done')],
];

const TABLE: readonly [
  why: string,
  facts: readonly Fact[],
  expected: readonly Partial<EndedAttempt>[],
][] = [
  [
    'an attempt of a plain run has no role, and no gate has judged it',
    [
      ['a', 0, submitted()],
      ['a', 1, attempt(1, 'main', undefined, 'claude')],
      ['a', 4, ends('attempt-1', DONE)],
    ],
    [
      {
        ...{ run: 'a', endedAt: 4000, role: null, cli: 'claude', agent: 'main', task: 'task' },
        ...{ end: 'completed', verdict: null, isRetry: false, durationMs: 3000, queuedMs: 1000 },
        ...{ workflow: null, step: null, tokens: null, costUsd: null, modelMs: null },
      },
    ],
  ],
  ...(
    [
      ['learned', true],
      ['explored', true],
      ['suggested', false],
      ['kept', false],
    ] as const
  ).map(([kind, leftDefault]): (typeof TABLE)[number] => [
    `a choice that is ${kind} ${leftDefault ? 'leaves' : 'does not leave'} the default`,
    [
      ['a', 0, submitted('t', { choice: { kind, agent: 'main', instead: 'b', why: 'w' } })],
      ['a', 1, attempt(1, 'main')],
      ['a', 4, ends('attempt-1', DONE)],
    ],
    [{ leftDefault }],
  ]),
  [
    'a green gate verifies the attempt before it',
    [
      ['a', 0, submitted()],
      ['a', 1, attempt(1, 'main')],
      ['a', 2, ends('attempt-1', DONE)],
      ['a', 2, begins('gate-1-1', 'gate', { attempt: 1, name: 'test' })],
      ['a', 3, ends('gate-1-1', PASSED)],
    ],
    [{ verdict: 'green' }],
  ],
  [
    'a red gate stays, whatever the other gates say, and the attempt that repairs it is a retry',
    [
      ['a', 0, submitted()],
      ['a', 1, attempt(1, 'main')],
      ['a', 2, ends('attempt-1', DONE)],
      ['a', 2, begins('gate-1-1', 'gate', { attempt: 1, name: 'lint' })],
      ['a', 3, ends('gate-1-1', FAILED)],
      ['a', 3, begins('gate-1-2', 'gate', { attempt: 1, name: 'test' })],
      ['a', 4, ends('gate-1-2', PASSED)],
      ['a', 5, attempt(2, 'main', { kind: 'gate', gate: 'lint', nth: 1, of: 3 })],
      ['a', 6, ends('attempt-2', DONE)],
      ['a', 6, begins('gate-2-1', 'gate', { attempt: 2, name: 'lint' })],
      ['a', 7, ends('gate-2-1', PASSED)],
    ],
    [
      { verdict: 'red', isRetry: false },
      { verdict: 'green', isRetry: true },
    ],
  ],
  [
    'an advisory gate and an interrupted gate say nothing',
    [
      ['a', 0, submitted()],
      ['a', 1, attempt(1, 'main')],
      ['a', 2, ends('attempt-1', DONE)],
      ['a', 2, begins('gate-1-1', 'gate', { attempt: 1, name: 'style', warns: true })],
      ['a', 3, ends('gate-1-1', FAILED)],
      ['a', 3, begins('gate-1-2', 'gate', { attempt: 1, name: 'test' })],
      ['a', 4, ends('gate-1-2', { kind: 'interrupted' })],
    ],
    [{ verdict: null }],
  ],
  [
    'a limit is a failure with its class, and the wait for it counts for the next attempt',
    [
      ['a', 0, submitted()],
      ['a', 1, attempt(1, 'main')],
      ['a', 2, ends('attempt-1', limited('slow down'))],
      ['a', 2, begins('wait-1', 'wait', { until: 60_000, reason: 'cooldown', why: 'a limit' })],
      ['a', 60, ends('wait-1', {})],
      ['a', 60, attempt(2, 'main', { kind: 'cooled-down' })],
      ['a', 61, ends('attempt-2', DONE)],
    ],
    [
      { end: 'failed', reason: 'rate_limited', category: 'cli_error', throttledMs: 0 },
      { end: 'completed', reason: null, throttledMs: 58_000, queuedMs: 0, isRetry: true },
    ],
  ],
  [
    'calls at the same time count once, and tokens and cost are those of the gateway',
    [
      ['a', 0, submitted()],
      ['a', 0, attempt(1, 'main')],
      ['a', 1, reserved(1)],
      ['a', 2, reserved(2)],
      ['a', 3, spent(1, 100, 0.25)],
      ['a', 5, spent(2, 50, 0.5)],
      ['a', 7, reserved(3)],
      ['a', 8, spent(3, 10, 0.25)],
      ['a', 10, ends('attempt-1', DONE)],
    ],
    [{ durationMs: 10_000, modelMs: 5000, tokens: 160, costUsd: 1 }],
  ],
  [
    'a call that is open when its owner dies ends there',
    [
      ['a', 0, submitted()],
      ['a', 0, attempt(1, 'main')],
      ['a', 1, reserved(1)],
      ['a', 4, ends('attempt-1', { kind: 'interrupted' })],
    ],
    [{ end: 'interrupted', modelMs: 3000, reason: 'interrupted' }],
  ],
  [
    'the run of a step has its role, its step and its workflow, and the gate step of the workflow judges it',
    [
      ...WORKFLOW,
      [
        'flow',
        7,
        begins('gate-test-2-2-1', 'gate', { attempt: 0, name: 'test', work: { run: 'child' } }),
      ],
      ['flow', 8, ends('gate-test-2-2-1', PASSED)],
    ],
    [
      {
        role: 'developer',
        task: 'implementation',
        step: 'implement',
        workflow: 'mvp',
        verdict: 'green',
      },
    ],
  ],
  [
    'a gate on the work of a run that is not known judges no attempt',
    [
      ...WORKFLOW,
      [
        'flow',
        7,
        begins('gate-test-2-2-1', 'gate', { attempt: 0, name: 'test', work: { run: 'other' } }),
      ],
      ['flow', 8, ends('gate-test-2-2-1', FAILED)],
    ],
    [{ verdict: null }],
  ],
  [
    'an attempt that has not ended is not counted',
    [
      ['a', 0, submitted()],
      ['a', 1, attempt(1, 'main')],
    ],
    [],
  ],
];

describe('records of attempts', () => {
  for (const [why, facts, expected] of TABLE)
    test(why, () => {
      const { records } = collected(facts);
      const shown = records.map((record, nth) =>
        Object.fromEntries(
          Object.keys(expected[nth] ?? {}).map((name) => [
            name,
            record[name as keyof EndedAttempt],
          ]),
        ),
      );
      assert.deepEqual([shown, records.length], [expected, expected.length]);
    });

  test('are the same if the fold is stored and read between any two facts', () => {
    for (const [why, facts] of TABLE) {
      const whole = collected(facts);
      for (let cut = 0; cut <= facts.length; cut += 1) {
        const first = collected(facts.slice(0, cut));
        const state = JSON.parse(JSON.stringify(first.state())) as ReturnType<typeof first.state>;
        const kept = readRecords(JSON.parse(JSON.stringify(writeRecords(first.records))));
        const second = new AttemptCollector(100, state, kept);
        for (const fact of stored(facts).slice(cut)) second.count(fact);
        assert.deepEqual(plain(second), plain(whole), why);
      }
    }
  });

  test('are dropped from the oldest on, and a gate on a dropped one changes nothing', () => {
    const facts: Fact[] = [['a', 0, submitted()]];
    for (let number = 1; number <= 4; number += 1)
      facts.push(
        ['a', number, attempt(number, 'main')],
        ['a', number, ends(`attempt-${number}`, DONE)],
      );
    facts.push(['a', 9, begins('gate-4-1', 'gate', { attempt: 4, name: 'test' })]);
    facts.push(['a', 9, ends('gate-4-1', PASSED)]);
    const collector = collected(facts, 2);
    assert.deepEqual(
      [collector.first, collector.records.map(({ endedAt, verdict }) => [endedAt, verdict])],
      [
        2,
        [
          [3000, null],
          [4000, 'green'],
        ],
      ],
    );
  });
});
