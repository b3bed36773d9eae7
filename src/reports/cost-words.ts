/** The cost of attempts in words. Tokens whose price is unknown are never shown as $0.00. */
import type { AttemptHistory } from './runs/attempt-history.ts';

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

/** Null: nothing is known. */
export function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
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

/**
 * A spent sum and what is left of its cap, in words. It has so many digits that a sum below the cap never reads like
 * the cap, nor one above it.
 */
export function shareOfCap(
  usd: number,
  cap: number,
): { readonly spent: string; readonly left: string } {
  const isTrue = (shown: number): boolean => Math.sign(cap - shown) === Math.sign(cap - usd);
  const digits = [2, 3].find((count) => isTrue(Number(usd.toFixed(count)))) ?? DIGITS_MAX;
  const exact = Number(usd.toFixed(digits));
  const step = 10 ** -digits;
  const shown = isTrue(exact) ? exact : exact + (usd < cap ? -step : step);
  return { spent: dollars(shown, digits), left: dollars(Math.max(0, cap - shown), digits) };
}

export function dollars(usd: number, digits = 2): string {
  return `$${usd.toFixed(digits)}`;
}
