/** Milliseconds since 1970 on some clock. Branded, so that a duration is never taken for an instant. */
export type Instant = number & { readonly __instant: never };

export function at(ms: number): Instant {
  return ms as Instant;
}

export function after(instant: Instant, ms: number): Instant {
  return at(instant + ms);
}

export function isoTime(instant: Instant): string {
  return new Date(instant).toISOString();
}

/**
 * Time as a port. Everything that reads the time or waits takes one of these, so that a test can
 * play a night in a millisecond and the simulated world can make clocks jump.
 */
export interface Clock {
  /** What the clock on the wall shows. It can be set, forward and back. */
  now(): Instant;
  /** Time that really passes, from some beginning: it never goes back, so bounds are measured by it. */
  elapsedMs(): number;
  /**
   * Resolves true once `instant` has come, or false at once when `signal` aborts. Never rejects:
   * being called off is an answer. A wait survives a clock that jumps, forward or back.
   */
  sleepUntil(instant: Instant, signal?: AbortSignal): Promise<boolean>;
  /** The same for a duration, whatever becomes of the wall clock meanwhile. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Resolves once everything else that is ready in this process has had its turn: requests, timers, output. */
  nextTurn(): Promise<void>;
}
