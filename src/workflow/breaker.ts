/**
 * The circuit breaker of a step: after many failures in a short time it opens, and a person decides. After that
 * decision it is half open: one more failure opens it again, until the old failures have expired.
 */
export const BREAKER_FAILURES_MAX = 5;
export const BREAKER_WITHIN_MS = 300_000;

/** The failures that still count, with the new one. */
export function countedFailures(failedAt: readonly number[], at: number): readonly number[] {
  return [...failedAt, at]
    .filter((time) => at - time < BREAKER_WITHIN_MS)
    .slice(-BREAKER_FAILURES_MAX);
}

/** Whether a step with these failures must not be repeated without a person. */
export function isBreakerOpen(failedAt: readonly number[]): boolean {
  return failedAt.length >= BREAKER_FAILURES_MAX;
}
