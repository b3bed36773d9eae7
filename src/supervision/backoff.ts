/** The delay before the next restart of a child that keeps ending. */
export type Backoff = {
  /** Before the first restart. */
  readonly baseMs: number;
  /** Each further restart waits this many times longer. Default: 2. */
  readonly factor?: number;
  /** Never longer than this. */
  readonly maxMs: number;
  /** The fraction by which a wait is randomly lengthened or shortened, from 0 to 1. Default: 0. */
  readonly jitter?: number;
  /** A child that ran this long is healthy again and starts from the base. Default: `maxMs`. */
  readonly healthyMs?: number;
};

/** `restarts` counts those before this one; `random` is in [0, 1). A whole number of milliseconds. */
export function backoffMs(backoff: Backoff, restarts: number, random: number): number {
  const { baseMs, factor = 2, maxMs, jitter = 0 } = backoff;
  // 0 * Infinity would be NaN.
  const exactMs = baseMs === 0 ? 0 : Math.min(maxMs, baseMs * factor ** restarts);
  return Math.min(maxMs, Math.round(exactMs * (1 + jitter * (2 * random - 1))));
}

export function isHealthy({ maxMs, healthyMs = maxMs }: Backoff, ranMs: number): boolean {
  return ranMs >= healthyMs;
}

export function problemWithBackoff(backoff: Backoff): string | undefined {
  const { baseMs, factor = 2, maxMs, jitter = 0, healthyMs = maxMs } = backoff;
  const isSound =
    [baseMs, maxMs, healthyMs].every((ms) => Number.isFinite(ms) && ms >= 0) &&
    Number.isFinite(factor) &&
    factor >= 1 &&
    jitter >= 0 &&
    jitter <= 1;
  return isSound
    ? undefined
    : 'a backoff has milliseconds from 0, a factor from 1 and a jitter from 0 to 1';
}
