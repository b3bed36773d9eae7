/** What one run may still spend: purses that its attempts share, some of them with other runs. */
import type { RunId } from '../../base/ids.ts';
import type { BudgetCaps } from '../../gateway/budget/budget-ledger.ts';
import type { BudgetPool } from '../../gateway/budget/budget-pool.ts';
import type { BudgetRaise } from '../../protocol/views/budget-view.ts';
import type { Settings } from '../../settings/settings.ts';

export type RunBudgets = {
  readonly purses: readonly BudgetPool[];
  /** A person has allowed models of unknown price. */
  readonly unpriced: boolean;
};

/** Opens them for an attempt, with what was spent before. */
export type BudgetsForRun = (
  run: RunId,
  project: string,
  budget: Settings['budget'],
) => Promise<RunBudgets>;

/** What is configured, and what a person has added to it. */
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
