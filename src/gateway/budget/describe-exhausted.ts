/** Why a budget does not pay for a call: what is spent, what the cap is, and what the call needs. */
import { formatDuration } from '../../base/format-duration.ts';
import { BUDGET_WORDS } from '../../protocol/views/budget-view.ts';
import type { CallEstimate } from './budget-ledger.ts';
import { costWith } from './budget-ledger.ts';
import type { BudgetEnd } from './call-budget.ts';

/** `estimate`: of the call that was refused. Null: the call was sent, and its answer was cut off. */
export function describeExhausted(end: BudgetEnd, estimate: CallEstimate | null): string {
  const { scope, limit, cap } = end;
  const budget = `The ${BUDGET_WORDS[limit]} budget of this ${scope}`;
  if (cap === null) return `${budget} is spent`;
  if (limit === 'wall') return `${budget} is spent: ${formatDuration(cap)} are over`;
  const used = end.spent[limit];
  const isMoney = limit === 'usd';
  const amount = (count: number): string => (isMoney ? usd(count) : String(count));
  const share = isMoney ? `${usd(used)} of ${usd(cap)}` : `${used} of ${cap} ${limit}`;
  if (used >= cap) return `${budget} is spent: ${share} ${isMoney ? 'is' : 'are'} used`;
  if (estimate === null)
    return `${budget} did not pay for the whole answer: ${share} ${isMoney ? 'was' : 'were'} used before the call`;
  const needs = amount(callNeeds(limit, estimate) ?? 0);
  const left = amount(cap - used);
  const rest = isMoney
    ? `is used, ${left} is left, and the call may cost up to ${needs}`
    : `are used, ${left} are left, and the call may use up to ${needs}`;
  return `${budget} does not pay for the next call: ${share} ${rest}`;
}

/**
 * The least by which the cap has to rise so that the call is let through. Other runs may have spent more than the cap
 * already: the budget of a project that was lowered, or that only some of its runs have. Undefined: it is not known.
 */
export function leastRaise(
  { limit, cap, spent }: BudgetEnd,
  estimate: CallEstimate,
): number | undefined {
  if (limit === 'wall') return undefined;
  const over = Math.max(0, spent[limit] - (cap ?? 0));
  // As many calls again are enough, unless others made more than that.
  if (limit === 'calls') return over === 0 ? undefined : over + 1;
  const needs = callNeeds(limit, estimate);
  return needs === undefined ? undefined : over + needs;
}

/** The most that a call may cost, in the unit of a limit. Undefined: it is not known. */
function callNeeds(limit: BudgetEnd['limit'], estimate: CallEstimate): number | undefined {
  if (limit === 'calls' || limit === 'wall') return undefined;
  return costWith(estimate, estimate.outputTokens)[limit] ?? undefined;
}

/** A small sum keeps the digits that matter. */
function usd(sum: number): string {
  return `$${sum.toFixed(sum > 0 && sum < 1 ? 4 : 2)}`;
}
