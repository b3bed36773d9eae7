/** Many timers on one sleep of the clock. */
import type { Clock } from '../base/clock.ts';

/** In elapsed time, so setting the wall clock does not change a wait. */
type Due = { readonly atMs: number; readonly ring: () => void };

export class RestartTimer {
  readonly #clock: Clock;
  /** Sorted with the next one last, so that removing it is cheap. */
  readonly #due: Due[] = [];
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `ring` once after the delay. Timers due at the same moment ring in the order in which they were set. */
  set(delayMs: number, ring: () => void): void {
    const due: Due = { atMs: this.#clock.elapsedMs() + delayMs, ring };
    const place = this.#due.findIndex((other) => other.atMs <= due.atMs);
    this.#due.splice(place === -1 ? this.#due.length : place, 0, due);
    if (this.#due.at(-1) === due) this.#rearm();
  }

  /** Cancels all timers. */
  cancelAll(): void {
    this.#due.length = 0;
    this.#sleep.abort();
  }

  #rearm(): void {
    this.#sleep.abort();
    this.#sleep = new AbortController();
    void this.#wait(this.#sleep.signal);
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let next = this.#due.at(-1); next !== undefined; next = this.#due.at(-1)) {
      const leftMs = next.atMs - this.#clock.elapsedMs();
      if (!(await this.#clock.sleep(leftMs, signal)) || signal.aborted) return;
      this.#due.pop();
      next.ring();
    }
  }
}
