/** The budget pools of a run. All attempts of the run share them, and some are shared with other runs. */
import type { RunId } from '../../base/ids.ts';
import type { BudgetCaps } from '../../gateway/budget/budget-ledger.ts';
import type { BudgetPool } from '../../gateway/budget/budget-pool.ts';
import type { BudgetRaise } from '../../protocol/views/budget-view.ts';
import type { Settings } from '../../settings/settings.ts';

export type RunBudgets = {
  readonly pools: readonly BudgetPool[];
  /** A person has allowed models of unknown price. */
  readonly unpriced: boolean;
  /** The cap on the tokens of the run that a person has set since. Null: none. */
  readonly tokensCap?: number | null;
};

/** Opens the pools for an attempt, with everything that was spent before. */
export type BudgetsForRun = (
  run: RunId,
  project: string,
  budget: Settings['budget'],
) => Promise<RunBudgets>;

/** The configured caps plus what a person has added. */
export function raisedCaps(
  { tokens, usd, calls, wallMs }: BudgetCaps,
  by: BudgetRaise,
): BudgetCaps {
  return {
    tokens: sum(tokens, by.tokens),
    usd: sum(usd, by.usd),
    calls: sum(calls, by.calls),
    wallMs: sum(wallMs, by.wall),
  };
}

function sum(cap: number | null, more: number): number | null {
  return cap === null ? null : cap + more;
}

export function effectiveCap(
  { tokens, usd, calls, wallMs }: BudgetCaps,
  limit: keyof BudgetRaise,
): number | null {
  return { tokens, usd, calls, wall: wallMs }[limit];
}
