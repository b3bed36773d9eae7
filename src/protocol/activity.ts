/** What an agent is seen doing while it does it. It is told in passing; kept is only what comes of it. */
import type { BUDGET_LIMITS } from './views/budget-view.ts';

/** What an agent tried to do, as its tools, its sandbox and its gateway show it. */
export type Activity =
  | { readonly kind: 'write'; readonly path: string }
  /** All that it has spent so far. */
  | { readonly kind: 'spend'; readonly usd: number }
  /** How many children it has now. */
  | { readonly kind: 'spawn'; readonly children: number }
  | { readonly kind: 'connect'; readonly host: string }
  | { readonly kind: 'command'; readonly argv: readonly string[] };

/** How far one of its budgets is used up. A time is in milliseconds. */
export type BudgetShare = {
  readonly limit: (typeof BUDGET_LIMITS)[number];
  readonly spent: number;
  readonly cap: number;
};

export type AgentActivity =
  | Activity
  /** A tool was called; the same words are the same call. */
  | { readonly kind: 'call'; readonly call: string }
  /** A turn begins in this folder of this machine. */
  | { readonly kind: 'turn-begun'; readonly folder: string }
  | { readonly kind: 'turn-ended' }
  /** What differs from what its run began with, when a turn has ended. */
  | { readonly kind: 'changed'; readonly paths: readonly string[] }
  /** Only what has a cap. */
  | { readonly kind: 'purse'; readonly shares: readonly BudgetShare[] };
