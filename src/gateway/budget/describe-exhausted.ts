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
  const needs = callNeeds(limit, estimate) ?? 0;
  return `${budget} does not pay for the next call: ${share} is used, ${amount(cap - used)} is left, and the call may cost up to ${amount(needs)}`;
}

/** The most that a call may cost, in the unit of a limit. Undefined: it is not known. */
export function callNeeds(limit: BudgetEnd['limit'], estimate: CallEstimate): number | undefined {
  if (limit === 'calls' || limit === 'wall') return undefined;
  return costWith(estimate, estimate.outputTokens)[limit] ?? undefined;
}

/** A small sum keeps the digits that matter. */
function usd(sum: number): string {
  return `$${sum.toFixed(sum > 0 && sum < 1 ? 4 : 2)}`;
}
