/** Milliseconds since 1970. Branded, so that a duration cannot be used as an instant. */
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
 * Time as a port. All code that reads the time or waits takes a clock, so that a test can play a
 * night in a millisecond and the simulated world can make clocks jump.
 */
export interface Clock {
  /** The wall-clock time. A person can set it forward and back. */
  now(): Instant;
  /** Monotonic time from an arbitrary start. It never goes back, so time bounds are measured with it. */
  elapsedMs(): number;
  /**
   * Resolves true at `instant`, or false as soon as `signal` aborts. Never rejects, because a
   * cancelled wait is a result. A wait survives a clock that jumps forward or back.
   */
  sleepUntil(instant: Instant, signal?: AbortSignal): Promise<boolean>;
  /** The same for a duration, independent of the wall clock. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Resolves after all other work that is ready in this process has run: requests, timers, output. */
  nextTurn(): Promise<void>;
}
