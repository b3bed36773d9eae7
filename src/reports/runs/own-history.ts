/**
 * The part of a history that the run itself has made. The history of a run that continues another contains the entries
 * of both. Each attempt and each dollar counts once: in the run that spent it.
 */
import type { AttemptHistory } from './attempt-history.ts';
import type { TotalCost } from '../cost-words.ts';
import { totalCost } from '../cost-words.ts';
import type { RunHistory } from './run-history.ts';

export function ownAttempts({ id, attempts }: RunHistory): readonly AttemptHistory[] {
  return attempts.filter(({ run }) => run === id);
}

export function countOwnAttempts(history: RunHistory): number {
  return history.earlier.ownAttempts + ownAttempts(history).length;
}

export function ownCost(history: RunHistory): TotalCost {
  const { usd, isPartial } = totalCost(ownAttempts(history), history.earlier.costUsd);
  const children = history.children.flatMap(({ parent, spent }) =>
    parent === history.id && spent !== null ? [spent] : [],
  );
  return {
    usd: children.reduce<number | null>((sum, one) => (sum ?? 0) + one.usd, usd),
    isPartial: isPartial || children.some(({ unpricedCalls }) => unpricedCalls > 0),
  };
}

/** How long it has waited for limits and retries. */
export function ownWaitedMs({ id, waits, earlier }: RunHistory, now: number): number {
  return waits
    .filter(({ run }) => run === id)
    .reduce((sum, { begunAt, endedAt }) => sum + ((endedAt ?? now) - begunAt), earlier.waitedMs);
}
