import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import type { RunLimits } from '../../protocol/views/run-limits.ts';
import { runLimits } from '../../protocol/views/run-limits.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { limitLines } from './limit-lines.ts';

const NONE: RunLimits = { usd: null, tokens: null, calls: null, wallMs: null, deadlineMs: null };
const HOUR = 3_600_000;
const MINUTE = 60_000;
const budget: RunView['budget'] = {
  ...NO_BUDGET_SPENT,
  spent: { tokens: 900, usd: 0.75, calls: 3 },
  before: { tokens: 800, usd: 0.5, calls: 2, wallMs: 30 * MINUTE },
};
const working: RunView['open'] = [{ key: 'attempt-1', command: 'attempt', begunAt: 50 * MINUTE }];

const cases: [why: string, limits: RunLimits, view: Partial<RunView>, lines: RegExp[]][] = [
  ['no limit', NONE, {}, []],
  [
    'a budget in money, of which the run before it has spent a part',
    { ...NONE, usd: 5 },
    {},
    [/^budget {2}\$0\.75 of \$5\.00 spent, \$4\.25 left$/],
  ],
  [
    'money that is held for open calls',
    { ...NONE, usd: 5 },
    { budget: { ...budget, held: [{ key: 'attempt-1', call: 1, tokens: 9, usd: 0.5 }] } },
    [/^budget {2}\$0\.75 of \$5\.00 spent, \$4\.25 left, \$0\.50 of it held for open calls$/],
  ],
  [
    'money, of which less than a cent is left',
    { ...NONE, usd: 1 },
    { budget: { ...budget, spent: { ...budget.spent, usd: 0.998 } } },
    [/^budget {2}\$0\.998 of \$1\.00 spent, \$0\.002 left$/],
  ],
  [
    'money, of which almost nothing is left',
    { ...NONE, usd: 1 },
    { budget: { ...budget, spent: { ...budget.spent, usd: 0.999999 } } },
    [/^budget {2}\$0\.9999 of \$1\.00 spent, \$0\.0001 left$/],
  ],
  [
    'money that was spent beyond its limit',
    { ...NONE, usd: 1 },
    { budget: { ...budget, spent: { ...budget.spent, usd: 1.003 } } },
    [/^budget {2}\$1\.003 of \$1\.00 spent, \$0\.000 left$/],
  ],
  [
    'money, if the price of a call is not known',
    { ...NONE, usd: 5 },
    { budget: { ...budget, unpricedCalls: 1 } },
    [/^budget {2}\$5\.00; the cost of 1 call is unknown$/],
  ],
  [
    'tokens, calls and time, which counts from the first attempt on',
    { ...NONE, tokens: 1000, calls: 2, wallMs: 2 * HOUR },
    { budget: { ...budget, time: { startedAt: HOUR / 2, waitedMs: 0 } } },
    [
      /^budget {2}900 of 1000 tokens used, 100 left$/,
      /^budget {2}3 of 2 calls used, 0 left$/,
      /^budget {2}1h00m of 2h00m used, 1h00m left$/,
    ],
  ],
  [
    'a deadline, while an attempt works',
    { ...NONE, deadlineMs: 30 * MINUTE },
    { open: working },
    [/^deadline {2}30m00s for each attempt; this one has 20m00s left, until \d\d:\d\d/],
  ],
  [
    'a deadline, between two attempts',
    { ...NONE, deadlineMs: 30 * MINUTE },
    {},
    [/^deadline {2}30m00s for each attempt$/],
  ],
];

for (const [why, limits, view, lines] of cases)
  test(`the limits of a run: ${why}`, () => {
    const row = { view: runViewFixture({ budget, ...view }), reason: null, applied: null, limits };
    const shown = limitLines(row, HOUR).map((line) => line.join('  '));
    assert.equal(shown.length, lines.length, shown.join(', '));
    for (const [at, line] of lines.entries()) assert.match(shown[at] ?? '', line);
  });

test('the limits of a run are its settings and what a person has added', () => {
  const caps = { usd: 5, tokens: null, calls: 10, wallMs: null };
  const none = { usd: null, tokens: null, calls: null, wallMs: null };
  const settings = { budget: { run: caps, project: none, tree: none }, deadlineMs: null };
  const raised = {
    ...NO_BUDGET_SPENT.raised,
    run: { ...{ usd: 2.5, tokens: 0 }, ...{ calls: 1, wall: 0 } },
  };
  assert.deepEqual(runLimits(settings, { raised, tokensCap: 700 }), {
    ...{ usd: 7.5, tokens: 700, calls: 11 },
    ...{ wallMs: null, deadlineMs: null },
  });
  assert.deepEqual(runLimits({}, NO_BUDGET_SPENT), NONE);
});
