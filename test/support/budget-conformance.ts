/**
 * The suite that every `CallBudget` passes, whether its ledgers are in the same process or behind a
 * channel.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../src/base/clock.ts';
import type { BudgetCaps } from '../../src/gateway/budget/budget-ledger.ts';
import { NO_CAPS } from '../../src/gateway/budget/budget-ledger.ts';
import type {
  BudgetRecord,
  CallBudget,
  ReservedCall,
} from '../../src/gateway/budget/call-budget.ts';
import { BudgetPool } from '../../src/gateway/budget/budget-pool.ts';
import { eventually } from './eventually.ts';

export type OpenBudget = (
  pools: readonly BudgetPool[],
  record: BudgetRecord,
) => Promise<AsyncDisposable & { readonly budget: CallBudget }>;

const WISH = {
  inputTokens: 60,
  outputTokens: 40,
  outputTokensMin: 10,
  usd: { input: 0.1, outputToken: 0.01 },
};
const WHOLE = { tokens: 100, usd: 0.5, inputTokens: 60, outputTokens: 40 };
const COST = { tokens: 30, usd: 0.1, inputTokens: 20, outputTokens: 10 };

function purseWith(caps: Partial<BudgetCaps>, scope: BudgetPool['scope'] = 'run'): BudgetPool {
  return new BudgetPool(scope, { ...NO_CAPS, ...caps }, at(0));
}

async function reserved(budget: CallBudget, call: number): Promise<ReservedCall> {
  const answer = await budget.reserve(call, WISH, new AbortController().signal);
  assert.equal(answer.kind, 'reserved');
  return answer;
}

export function budgetConformance(name: string, open: OpenBudget): void {
  describe(`a budget ${name}`, () => {
    test('reserves the maximum cost of a call, and afterwards counts its real cost', async () => {
      const [run, project] = [purseWith({ usd: 5 }), purseWith({}, 'project')];
      await using at = await open([run, project], {});
      const call = await reserved(at.budget, 1);
      assert.deepEqual(run.ledger.reserved, { tokens: 100, usd: 0.5, calls: 1 });
      call.settle(COST);
      await eventually('it is settled', () => project.ledger.spent.calls === 1);
      assert.deepEqual(
        [run.ledger.spent, project.ledger.spent, run.ledger.reserved.calls],
        [{ tokens: 30, usd: 0.1, calls: 1 }, { tokens: 30, usd: 0.1, calls: 1 }, 0],
      );
    });

    test('names the budget that is spent, and how much of it is', async () => {
      const run = purseWith({ calls: 1 });
      await using at = await open([purseWith({}, 'project'), run], {});
      (await reserved(at.budget, 1)).settle(COST);
      await eventually('it is settled', () => run.ledger.spent.calls === 1);
      assert.deepEqual(await at.budget.reserve(2, WISH, new AbortController().signal), {
        kind: 'exhausted',
        scope: 'run',
        limit: 'calls',
        because: 'spent',
        spent: { tokens: 30, usd: 0.1, calls: 1 },
        cap: 1,
      });
    });

    test('gives the last call the rest of the budget, and names the budget that reduced it', async () => {
      const run = purseWith({ usd: 0.4 });
      await using at = await open([run], {});
      const { cost, lowered } = await reserved(at.budget, 1);
      assert.deepEqual(
        [cost.outputTokens, lowered],
        [29, { scope: 'run', limit: 'usd', spent: { tokens: 0, usd: 0, calls: 0 }, cap: 0.4 }],
      );
    });

    test("makes a call wait for another call's reservation, until that is settled or the call is cancelled", async () => {
      const run = purseWith({ calls: 1 });
      await using at = await open([run], {});
      const first = await reserved(at.budget, 1);
      const leaves = new AbortController();
      const second = at.budget.reserve(2, WISH, leaves.signal);
      const third = at.budget.reserve(3, WISH, new AbortController().signal);
      leaves.abort();
      assert.deepEqual(await second, { kind: 'called-off' });
      first.settle(null);
      assert.equal((await third).kind, 'reserved');
      assert.equal(run.ledger.reserved.calls, 1);
    });

    test('records the maximum cost of a call before the call starts, and its real cost afterwards', async () => {
      const reported: unknown[] = [];
      await using at = await open([], {
        reserved: async (call, cost) => void reported.push([call, cost]),
        settled: (call, cost) => void reported.push([call, cost]),
      });
      const call = await reserved(at.budget, 7);
      assert.deepEqual(reported, [[7, WHOLE]]);
      call.settle(COST);
      await eventually('it is recorded', () => reported.length === 2);
      assert.deepEqual(reported[1], [7, COST]);
    });

    test('starts no call that cannot be recorded, and reserves nothing for it', async () => {
      const run = purseWith({ calls: 1 });
      await using at = await open([run], {
        reserved: () => Promise.reject(new Error('the disk is full')),
      });
      await assert.rejects(at.budget.reserve(1, WISH, new AbortController().signal));
      assert.deepEqual([run.ledger.reserved.calls, run.ledger.spent.calls], [0, 0]);
    });
  });
}
