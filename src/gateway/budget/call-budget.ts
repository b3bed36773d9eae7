/**
 * The budgets that a gateway's calls are charged to, as the gateway sees them. The ledgers themselves
 * belong to the owner: a gateway in the same process reaches them through `budgetOf`, one in a
 * process of its own asks over its channel. Both pass the suite in `test/support/budget-conformance.ts`.
 */
import type { Clock } from '../../base/clock.ts';
import type { BudgetLimit, CallCharge, CallEstimate, BudgetUsage } from './budget-ledger.ts';
import { costWith } from './budget-ledger.ts';
import type { BudgetPool, BudgetScope } from './budget-pool.ts';
import { reserveIn } from './budget-pool.ts';

/** Which budget comes to its end, and how much of it is spent. */
export type BudgetEnd = {
  readonly scope: BudgetScope;
  readonly limit: BudgetLimit;
  readonly spent: BudgetUsage;
  /** Its cap in US dollars; null: it has none. */
  readonly usdCap: number | null;
};

export type ReservedCall = {
  readonly kind: 'reserved';
  /** The most that the call may cost. */
  readonly cost: CallCharge;
  /** The budget that leaves it less output than it asked for. */
  readonly lowered?: BudgetEnd;
  /** To be called exactly once. Null: the call never reached the provider. */
  settle(cost: CallCharge | null): void;
};

export type BudgetSpent = BudgetEnd & {
  readonly kind: 'exhausted';
  readonly because: 'spent' | 'price-unknown';
};

export type ReserveAnswer = ReservedCall | BudgetSpent | { readonly kind: 'called-off' };

export interface CallBudget {
  /**
   * Reserves in every budget or in none, and waits while other calls hold what is left. Resolves
   * once the reservation is on record; when it cannot be recorded, it rejects and nothing is reserved.
   */
  reserve(call: number, wish: CallEstimate, signal: AbortSignal): Promise<ReserveAnswer>;
}

/** Where reservations and settlements are recorded. */
export type BudgetRecord = {
  /** The call goes out once this has resolved. */
  readonly reserved?: ((call: number, cost: CallCharge) => Promise<void>) | undefined;
  readonly settled?: ((call: number, cost: CallCharge | null) => void) | undefined;
};

export function budgetOf(
  purses: readonly BudgetPool[],
  clock: Clock,
  record: BudgetRecord = {},
): CallBudget {
  return {
    async reserve(call, wish, signal) {
      const answer = await reserveIn(purses, wish, clock, signal);
      if (answer.kind === 'called-off') return answer;
      if (answer.kind === 'exhausted')
        return { kind: 'exhausted', because: answer.because, ...endOf(answer) };
      const { cost, lowered } = answer;
      const settle = (paid: CallCharge | null): void => {
        answer.settle(paid);
        record.settled?.(call, paid);
      };
      try {
        await record.reserved?.(call, cost);
      } catch (error) {
        settle(null);
        throw error;
      }
      return { kind: 'reserved', cost, ...(lowered && { lowered: endOf(lowered) }), settle };
    },
  };
}

function endOf({
  purse: { scope, ledger },
  limit,
}: {
  readonly purse: BudgetPool;
  readonly limit: BudgetLimit;
}): BudgetEnd {
  return { scope, limit, spent: ledger.spent, usdCap: ledger.caps.usd };
}

export const NO_BUDGET: CallBudget = {
  reserve: (_call, wish) =>
    Promise.resolve({
      kind: 'reserved',
      cost: costWith(wish, wish.outputTokens),
      settle: () => undefined,
    }),
};
