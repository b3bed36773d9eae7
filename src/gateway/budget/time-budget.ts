/** The time budgets of an attempt: which one ends first, and when. An agent that makes no call is bound by them too. */
import { after } from '../../base/clock.ts';
import type { Instant } from '../../base/clock.ts';
import type { BudgetPool } from './budget-pool.ts';
import type { BudgetEnd } from './call-budget.ts';

export type TimeBudget = BudgetEnd & {
  readonly limit: 'wall';
  readonly cap: number;
  readonly endsAt: Instant;
};

/** Undefined: no budget of the attempt limits its time. */
export function firstTimeBudget(
  pools: readonly Pick<BudgetPool, 'scope' | 'ledger'>[],
): TimeBudget | undefined {
  const ends = pools.flatMap(({ scope, ledger: { caps, begunAt, spent } }): TimeBudget[] => {
    const { wallMs: cap } = caps;
    return cap === null ? [] : [{ scope, limit: 'wall', spent, cap, endsAt: after(begunAt, cap) }];
  });
  return ends.toSorted((a, b) => a.endsAt - b.endsAt)[0];
}
