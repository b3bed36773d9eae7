/** Many things due at many times, and one sleeper for all of them. */
import type { Clock, Instant } from '../base/clock.ts';

type Due = { readonly at: Instant; readonly ring: () => void };

export class Alarm {
  readonly #clock: Clock;
  /** The next one last, so that taking it is cheap. */
  readonly #due: Due[] = [];
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rings once, when `at` has come; those of one instant in the order in which they were set. */
  set(at: Instant, ring: () => void): void {
    const due: Due = { at, ring };
    const place = this.#due.findIndex((other) => other.at <= at);
    this.#due.splice(place === -1 ? this.#due.length : place, 0, due);
    if (this.#due.at(-1) === due) this.#rearm();
  }

  /** Nothing rings any more. */
  silence(): void {
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
      if (!(await this.#clock.sleepUntil(next.at, signal)) || signal.aborted) return;
      this.#due.pop();
      next.ring();
    }
  }
}
