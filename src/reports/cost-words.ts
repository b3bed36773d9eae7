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

export function dollars(usd: number, digits = 2): string {
  return `$${usd.toFixed(digits)}`;
}
