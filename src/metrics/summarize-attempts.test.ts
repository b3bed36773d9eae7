import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MetricsRow, MetricsView } from '../protocol/views/metrics-view.ts';
import { MetricsView as Schema } from '../protocol/views/metrics-view.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import type { MetricsWindow } from './summarize-attempts.ts';
import { summarizeAttempts } from './summarize-attempts.ts';

const RECORD: EndedAttempt = {
  ...{ run: 'a', endedAt: 50, role: 'developer', cli: 'claude', agent: 'main', model: 'm' },
  ...{ task: 'task', workflow: null, step: null, end: 'completed', reason: null, category: null },
  ...{
    verdict: null,
    isRetry: false,
    leftDefault: false,
    durationMs: 100,
    modelMs: null,
    throttledMs: 0,
    queuedMs: 0,
  },
  ...{ tokens: null, costUsd: null },
};

function times(count: number, fields: Partial<EndedAttempt>): readonly EndedAttempt[] {
  return Array.from({ length: count }, () => ({ ...RECORD, ...fields }));
}

const WINDOW: MetricsWindow = { since: 0, until: 60, by: 'cli', leftOut: 0 };

function summary(records: readonly EndedAttempt[], by: MetricsWindow['by'] = 'cli'): MetricsView {
  return Schema.parse(summarizeAttempts(records, { ...WINDOW, by }));
}

const ROWS: readonly [
  why: string,
  records: readonly EndedAttempt[],
  expected: Partial<MetricsRow>,
][] = [
  [
    'an attempt that a person stopped or that was interrupted says nothing about the agent',
    [
      ...times(3, {}),
      ...times(1, { end: 'failed', reason: 'crashed' }),
      ...times(2, { end: 'stopped' }),
      ...times(2, { end: 'interrupted' }),
    ],
    { attempts: 8, ended: 4, completed: 3 },
  ],
  [
    'only work that a gate judged can be verified',
    [...times(2, { verdict: 'green' }), ...times(1, { verdict: 'red' }), ...times(5, {})],
    { judged: 3, verified: 2, ended: 8 },
  ],
  [
    'the cost of red work is part of the cost of a verified result',
    [
      ...times(1, { verdict: 'green', costUsd: 1, tokens: 5 }),
      ...times(1, { verdict: 'red', costUsd: 2, tokens: 6 }),
    ],
    { costUsd: 3, costPartial: false, costPerVerifiedUsd: 3, tokens: 11 },
  ],
  [
    'an unknown price makes the cost of a verified result unknown',
    [...times(1, { verdict: 'green', costUsd: 1, tokens: 5 }), ...times(1, { tokens: 6 })],
    { costUsd: 1, costPartial: true, costPerVerifiedUsd: null },
  ],
  [
    'without tokens there is nothing to pay',
    times(2, {}),
    { costUsd: null, costPartial: false, costPerVerifiedUsd: null, tokens: null },
  ],
  [
    'the median is that of the middle, and tools have the time without a model call',
    [
      ...times(1, { durationMs: 10, modelMs: 4 }),
      ...times(1, { durationMs: 30 }),
      ...times(1, { durationMs: 500 }),
    ],
    { durationMs: 540, medianMs: 30, modelMs: 4, toolMs: 6 },
  ],
  [
    'attempts of one run are one run, and retries are counted',
    [...times(2, {}), ...times(3, { run: 'b', isRetry: true })],
    { attempts: 5, runs: 2, retries: 3 },
  ],
  [
    'failures are sorted by their number',
    [
      ...times(1, { end: 'failed', reason: 'crashed' }),
      ...times(2, { end: 'failed', reason: 'network' }),
    ],
    {
      failures: [
        { reason: 'network', attempts: 2 },
        { reason: 'crashed', attempts: 1 },
      ],
    },
  ],
  [
    'there is no share without a case',
    times(1, { end: 'stopped' }),
    { completedShare: null, verifiedShare: null },
  ],
];

const BEST: readonly [
  why: string,
  records: readonly EndedAttempt[],
  expected: string | null | undefined,
][] = [
  ['one group alone is not the best', times(50, {}), undefined],
  [
    'what gates found counts before what agents say',
    [
      ...times(12, { cli: 'claude', verdict: 'green' }),
      ...times(12, { cli: 'codex', verdict: 'red' }),
      ...times(40, { cli: 'codex' }),
    ],
    'claude',
  ],
  [
    'a few successes are not the best',
    [
      ...times(3, { cli: 'codex' }),
      ...times(18, { cli: 'claude' }),
      ...times(2, { cli: 'claude', end: 'failed', reason: 'crashed' }),
    ],
    undefined,
  ],
  [
    'without gates, the lower bound of what was completed counts',
    [
      ...times(20, { cli: 'codex' }),
      ...times(20, { cli: 'claude' }),
      ...times(5, { cli: 'claude', end: 'failed', reason: 'crashed' }),
    ],
    'codex',
  ],
];

describe('the summary of attempts', () => {
  test('by CLI and task has the tasks in order, and the best CLI of each', () => {
    const red = { verdict: 'red' } as const;
    const green = { verdict: 'green' } as const;
    const { rows } = summary(
      [
        ...[...times(12, { task: 'review', ...red }), ...times(11, { task: 'plan', ...green })],
        ...times(10, { task: 'review', cli: 'codex', ...green }),
        ...times(15, { task: 'plan', cli: 'codex', ...red }),
        ...times(5, { task: 'generic', cli: 'gemini', ...green }),
      ],
      'cli-per-task',
    );
    assert.deepEqual(
      rows.map(({ name, attempts, isBest }) => [name, attempts, isBest]),
      [
        ['generic: gemini', 5, false],
        ['plan: codex', 15, false],
        ['plan: claude', 11, true],
        ['review: claude', 12, false],
        ['review: codex', 10, true],
      ],
    );
  });

  for (const [why, records, expected] of ROWS)
    test(why, () => {
      const { total } = summary(records);
      const names = Object.keys(expected) as (keyof MetricsRow)[];
      assert.deepEqual(Object.fromEntries(names.map((name) => [name, total[name]])), expected);
    });

  for (const [why, records, expected] of BEST)
    test(`the best: ${why}`, () => {
      assert.equal(summary(records).rows.find(({ isBest }) => isBest)?.name, expected);
    });

  test('has an interval with each share', () => {
    const [row] = summary([
      ...times(8, {}),
      ...times(2, { end: 'failed', reason: 'crashed' }),
    ]).rows;
    const { low, high } = row?.completedShare ?? { low: 0, high: 0 };
    assert.deepEqual([low.toFixed(2), high.toFixed(2)], ['0.49', '0.94']);
  });

  test('leaves out what ended before the window', () => {
    const records = [...times(2, { endedAt: 5 }), ...times(1, {})];
    assert.equal(summarizeAttempts(records, { ...WINDOW, since: 10 }).total.attempts, 1);
  });

  test('groups by what was asked for, the largest group first, and by nothing if there is none', () => {
    const records = [...times(1, { role: null }), ...times(3, {}), ...times(2, { role: 'tester' })];
    assert.deepEqual(
      summary(records, 'role').rows.map(({ name, attempts }) => [name, attempts]),
      [
        ['developer', 3],
        ['tester', 2],
        [null, 1],
      ],
    );
  });

  test('counts failures in six parts of the time since the first attempt', () => {
    const failed = (endedAt: number) =>
      ({ ...RECORD, endedAt, end: 'failed', reason: 'network', category: 'network' }) as const;
    const { failures } = summary([failed(0), failed(11), failed(12), failed(59), failed(60)]);
    assert.deepEqual(failures, [
      { reason: 'network', category: 'network', attempts: 5, counts: [1, 2, 0, 0, 0, 2] },
    ]);
  });

  test('tells work from waiting', () => {
    const records = times(1, { durationMs: 60, queuedMs: 10, throttledMs: 30 });
    const { utilization, saturation, amplification } = summary([
      ...records,
      ...times(1, { durationMs: 0 }),
    ]);
    assert.deepEqual([utilization, saturation, amplification], [0.6, 0.1, 2]);
  });

  test('is empty without attempts', () => {
    const { rows, failures, utilization, amplification } = summary([]);
    assert.deepEqual([rows, failures, utilization, amplification], [[], [], null, null]);
  });
});
