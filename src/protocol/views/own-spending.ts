/** What a run has spent itself. A page uses it too, so it needs no schema. */
import type { BudgetView } from './budget-view.ts';

/** What the run itself has spent, without the runs that it continues. */
export function ownSpending({
  spent,
  before,
  unpricedCalls,
}: Pick<BudgetView, 'spent' | 'before' | 'unpricedCalls'>): BudgetView['spent'] & {
  readonly unpricedCalls: number;
} {
  return {
    tokens: Math.max(0, spent.tokens - before.tokens),
    usd: Math.max(0, spent.usd - before.usd),
    calls: Math.max(0, spent.calls - before.calls),
    unpricedCalls: Math.max(0, unpricedCalls - (before.unpricedCalls ?? 0)),
  };
}
