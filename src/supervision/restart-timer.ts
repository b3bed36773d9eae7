/** Many timers on one sleep of the clock. */
import type { Clock } from '../base/clock.ts';

/** In elapsed time, so setting the wall clock does not change a wait. */
type Timer = { readonly atMs: number; readonly callback: () => void };

export class RestartTimer {
  readonly #clock: Clock;
  /** Sorted with the next one last, so that removing it is cheap. */
  readonly #timers: Timer[] = [];
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `callback` once after the delay. Timers due at the same moment fire in the order in which they were set. */
  set(delayMs: number, callback: () => void): void {
    const timer: Timer = { atMs: this.#clock.elapsedMs() + delayMs, callback };
    const position = this.#timers.findIndex((other) => other.atMs <= timer.atMs);
    this.#timers.splice(position === -1 ? this.#timers.length : position, 0, timer);
    if (this.#timers.at(-1) === timer) this.#rearm();
  }

  /** Cancels all timers. */
  cancelAll(): void {
    this.#timers.length = 0;
    this.#sleep.abort();
  }

  #rearm(): void {
    this.#sleep.abort();
    this.#sleep = new AbortController();
    void this.#wait(this.#sleep.signal);
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let next = this.#timers.at(-1); next !== undefined; next = this.#timers.at(-1)) {
      const remainingMs = next.atMs - this.#clock.elapsedMs();
      if (!(await this.#clock.sleep(remainingMs, signal)) || signal.aborted) return;
      this.#timers.pop();
      next.callback();
    }
  }
}
