/** Why a budget does not pay for a call: what is spent, what the cap is, and what the call needs. */
import { formatDuration } from '../../base/format-duration.ts';
import type { CallEstimate } from './budget-ledger.ts';
import { costWith } from './budget-ledger.ts';
import type { BudgetEnd } from './call-budget.ts';

/** `estimate`: of the call that was refused. Null: the call was sent, and its answer was cut off. */
export function describeExhausted(end: BudgetEnd, estimate: CallEstimate | null): string {
  const { scope, limit, cap } = end;
  const budget = `The ${limit} budget of this ${scope}`;
  if (cap === null) return `${budget} is spent`;
  if (limit === 'wall') return `${budget} is spent: ${formatDuration(cap)} are over`;
  const used = end.spent[limit];
  const amount = (count: number): string => (limit === 'usd' ? usd(count) : String(count));
  const share = `${amount(used)} of ${amount(cap)}`;
  if (used >= cap) return `${budget} is spent: ${share} is used`;
  if (estimate === null)
    return `${budget} did not pay for the whole answer: ${share} was used before the call`;
  const least = costWith(estimate, estimate.outputTokensMin);
  const needs = limit === 'calls' ? 1 : (least[limit] ?? 0);
  return `${budget} does not pay for the next call: ${share} is used, ${amount(cap - used)} is left, and the call needs at least ${amount(needs)}`;
}

/** A small sum keeps the digits that matter. */
function usd(sum: number): string {
  return `$${sum.toFixed(sum > 0 && sum < 1 ? 4 : 2)}`;
}
