/** What an agent is doing right now, as monitors receive it. Only the consequences are stored. */
import type { BUDGET_LIMITS } from './views/budget-view.ts';

/** What an agent tried to do, as its tools, its sandbox and its gateway show it. */
export type Activity =
  | { readonly kind: 'write'; readonly path: string }
  /** The total cost so far. */
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
  /** A tool was called. Two calls with the same signature are the same call; without one, those with the same text. */
  | {
      readonly kind: 'call';
      readonly call: string;
      readonly signature?: string;
    }
  /** A turn begins in this folder of this machine. */
  | { readonly kind: 'turn-begun'; readonly folder: string }
  | { readonly kind: 'turn-ended' }
  /** The files that differ from the base of the run, when a turn has ended. */
  | { readonly kind: 'changed'; readonly paths: readonly string[] }
  /** Only budgets that have a cap. */
  | { readonly kind: 'purse'; readonly shares: readonly BudgetShare[] };
