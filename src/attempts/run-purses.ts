/** What one run may still spend: purses that its attempts share, some of them with other runs. */
import type { RunId } from '../base/ids.ts';
import type { Caps } from '../gateway/budget.ts';
import type { Purse } from '../gateway/purse.ts';
import type { Raise } from '../protocol/budget-view.ts';
import type { Settings } from '../protocol/settings.ts';

export type RunPurses = {
  readonly purses: readonly Purse[];
  /** A person has let models in whose price nobody knows. */
  readonly unpriced: boolean;
};

/** Opens them for an attempt, with what was spent before. */
export type PursesOf = (
  run: RunId,
  project: string,
  budget: Settings['budget'],
) => Promise<RunPurses>;

/** What is configured, and what a person has added to it. */
export function raisedCaps({ tokens, usd, calls, wallMs }: Caps, by: Raise): Caps {
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

export function capOf({ tokens, usd, calls, wallMs }: Caps, limit: keyof Raise): number | null {
  return { tokens, usd, calls, wall: wallMs }[limit];
}
