/** The cost of attempts in words. Tokens whose price is unknown are never shown as $0.00. */
import type { AttemptHistory } from './attempt-history.ts';

export type TotalCost = {
  /** The known part. Null: nothing is known. */
  readonly usd: number | null;
  /** Some tokens have no known cost, so `usd` is not all of it. */
  readonly isPartial: boolean;
};

type Priced = Pick<AttemptHistory, 'usage' | 'counted'>;

export function totalCost(attempts: readonly Priced[], earlier: number | null = null): TotalCost {
  const known = attempts.flatMap(({ usage }) => usage.costUsd ?? []);
  return {
    usd: known.reduce<number | null>((sum, usd) => (sum ?? 0) + usd, earlier),
    isPartial: attempts.some((one) => one.usage.costUsd === null && hasTokens(one)),
  };
}

function hasTokens({ usage, counted }: Priced): boolean {
  const reported = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return (counted?.tokens ?? reported) > 0;
}

/** Empty if there is no cost and no token. */
export function costWords({ usd, isPartial }: TotalCost, digits = 2): string {
  if (isPartial)
    return usd === null || usd === 0 ? 'cost unknown' : `at least ${dollars(usd, digits)}`;
  return usd === null ? '' : dollars(usd, digits);
}

const DIGITS_MAX = 4;

/** So many digits that rounded costs add up to their rounded sum. */
export function digitsThatAddUp(costs: readonly number[]): number {
  const total = costs.reduce((sum, usd) => sum + usd, 0);
  for (let digits = 2; digits < DIGITS_MAX; digits += 1) {
    const shown = costs.reduce((sum, usd) => sum + Number(usd.toFixed(digits)), 0);
    if (shown.toFixed(digits) === total.toFixed(digits)) return digits;
  }
  return DIGITS_MAX;
}

export function dollars(usd: number, digits = 2): string {
  return `$${usd.toFixed(digits)}`;
}
