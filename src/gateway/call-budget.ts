/**
 * The budgets that a gateway's calls are charged to, as the gateway sees them. The ledgers themselves
 * belong to the owner: a gateway in the same process reaches them through `budgetOf`, one in a
 * process of its own asks over its channel. Both pass the suite in `src/testing/budget-conformance.ts`.
 */
import type { Clock } from '../base/clock.ts';
import type { BudgetLimit, CallCharge, Spent } from './budget.ts';
import type { Purse, PurseScope } from './purse.ts';
import { reserveIn } from './purse.ts';

export type ReservedCall = {
  readonly kind: 'reserved';
  /** To be called exactly once. Null: the call never reached the provider. */
  settle(cost: CallCharge | null): void;
};

export type BudgetSpent = {
  readonly kind: 'exhausted';
  readonly scope: PurseScope;
  readonly limit: BudgetLimit;
  readonly because: 'spent' | 'price-unknown';
  readonly spent: Spent;
};

export type ReserveAnswer = ReservedCall | BudgetSpent | { readonly kind: 'called-off' };

export interface CallBudget {
  /**
   * Reserves in every budget or in none, and waits while other calls hold what is left. Resolves
   * once the reservation is on record; when it cannot be recorded, it rejects and nothing is reserved.
   */
  reserve(call: number, estimate: CallCharge, signal: AbortSignal): Promise<ReserveAnswer>;
}

/** Where reservations and settlements are recorded. */
export type BudgetRecord = {
  /** The call goes out once this has resolved. */
  readonly reserved?: ((call: number, estimate: CallCharge) => Promise<void>) | undefined;
  readonly settled?: ((call: number, cost: CallCharge | null) => void) | undefined;
};

export function budgetOf(
  purses: readonly Purse[],
  clock: Clock,
  record: BudgetRecord = {},
): CallBudget {
  return {
    async reserve(call, estimate, signal) {
      const answer = await reserveIn(purses, estimate, clock, signal);
      if (answer.kind === 'called-off') return answer;
      if (answer.kind === 'exhausted') {
        const { purse, limit, because } = answer;
        return {
          kind: 'exhausted',
          scope: purse.scope,
          limit,
          because,
          spent: purse.ledger.spent,
        };
      }
      const settle = (cost: CallCharge | null): void => {
        answer.settle(cost);
        record.settled?.(call, cost);
      };
      try {
        await record.reserved?.(call, estimate);
      } catch (error) {
        settle(null);
        throw error;
      }
      return { kind: 'reserved', settle };
    },
  };
}

export const NO_BUDGET: CallBudget = {
  reserve: () => Promise.resolve({ kind: 'reserved', settle: () => undefined }),
};
