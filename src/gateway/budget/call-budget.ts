/**
 * The budgets that the calls of a gateway are charged to, as the gateway sees them. The ledgers belong to the owner.
 * A gateway in the owner's process reaches them through `localBudget`; a gateway in its own process asks over its
 * channel. Both pass the suite in `test/support/budget-conformance.ts`.
 */
import type { Clock } from '../../base/clock.ts';
import type { BudgetLimit, CallCharge, CallEstimate, BudgetUsage } from './budget-ledger.ts';
import { costWith } from './budget-ledger.ts';
import type { BudgetPool, BudgetScope } from './budget-pool.ts';
import { reserveIn } from './budget-pool.ts';

/** Which budget is used up, and how much of it is spent. */
export type BudgetEnd = {
  readonly scope: BudgetScope;
  readonly limit: BudgetLimit;
  readonly spent: BudgetUsage;
  /** The cap of that limit. A time is in milliseconds. Null: it has none. */
  readonly cap: number | null;
};

export type ReservedCall = {
  readonly kind: 'reserved';
  /** The most that the call may cost. */
  readonly cost: CallCharge;
  /** The budget that allows less output than requested. */
  readonly lowered?: BudgetEnd;
  /** Call it exactly once. Null: the call never reached the provider. */
  settle(cost: CallCharge | null): void;
};

export type BudgetSpent = BudgetEnd & {
  readonly kind: 'exhausted';
  readonly because: 'spent' | 'price-unknown';
};

type ReserveAnswer = ReservedCall | BudgetSpent | { readonly kind: 'called-off' };

export interface CallBudget {
  /**
   * Reserves in every budget or in none, and waits while other calls hold what is left. Resolves once the reservation
   * is recorded. If it cannot be recorded, the promise rejects and nothing is reserved.
   */
  reserve(call: number, estimate: CallEstimate, signal: AbortSignal): Promise<ReserveAnswer>;
}

/** Where reservations and settlements are recorded. */
export type BudgetRecord = {
  /** The call is sent once this has resolved. */
  readonly reserved?: ((call: number, cost: CallCharge) => Promise<void>) | undefined;
  readonly settled?: ((call: number, cost: CallCharge | null) => void) | undefined;
};

export function localBudget(
  pools: readonly BudgetPool[],
  clock: Clock,
  record: BudgetRecord = {},
): CallBudget {
  return {
    async reserve(call, estimate, signal) {
      const answer = await reserveIn(pools, estimate, clock, signal);
      if (answer.kind === 'called-off') return answer;
      if (answer.kind === 'exhausted')
        return { kind: 'exhausted', because: answer.because, ...toBudgetEnd(answer) };
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
      return { kind: 'reserved', cost, ...(lowered && { lowered: toBudgetEnd(lowered) }), settle };
    },
  };
}

function toBudgetEnd({
  pool: { scope, ledger },
  limit,
}: {
  readonly pool: BudgetPool;
  readonly limit: BudgetLimit;
}): BudgetEnd {
  const { wallMs, ...caps } = ledger.caps;
  return { scope, limit, spent: ledger.spent, cap: { ...caps, wall: wallMs }[limit] };
}

export const NO_BUDGET: CallBudget = {
  reserve: (_call, estimate) =>
    Promise.resolve({
      kind: 'reserved',
      cost: costWith(estimate, estimate.outputTokens),
      settle: () => undefined,
    }),
};
