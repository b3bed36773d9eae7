import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { NO_CAPS } from './budget-ledger.ts';
import { BudgetPool } from './budget-pool.ts';
import { firstTimeBudget } from './time-budget.ts';

function pool(scope: BudgetPool['scope'], wallMs: number | null, begunAt: number): BudgetPool {
  return new BudgetPool(scope, { ...NO_CAPS, wallMs }, at(begunAt));
}

describe('the time budget that ends an attempt', () => {
  const cases: [why: string, pools: readonly BudgetPool[], expected: unknown][] = [
    ['is none if no time is capped', [pool('run', null, 0)], undefined],
    [
      'is the one that ends first',
      [pool('run', 500, 100), pool('project', 550, 0)],
      ['project', 550],
    ],
    [
      'is that of the run if both end at once',
      [pool('run', 500, 0), pool('tree', 500, 0)],
      ['run', 500],
    ],
  ];
  for (const [why, pools, expected] of cases)
    test(why, () => {
      const found = firstTimeBudget(pools);
      assert.deepEqual(found && [found.scope, found.endsAt], expected);
    });
});
