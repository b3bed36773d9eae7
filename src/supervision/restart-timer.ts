/** Many things due at many times, and one sleeper for all of them. */
import type { Clock } from '../base/clock.ts';

/** When, in elapsed time: a wall clock that is set makes no wait longer or shorter. */
type Due = { readonly atMs: number; readonly ring: () => void };

export class RestartTimer {
  readonly #clock: Clock;
  /** The next one last, so that taking it is cheap. */
  readonly #due: Due[] = [];
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rings once, after that time; those of one moment in the order in which they were set. */
  set(delayMs: number, ring: () => void): void {
    const due: Due = { atMs: this.#clock.elapsedMs() + delayMs, ring };
    const place = this.#due.findIndex((other) => other.atMs <= due.atMs);
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
      const leftMs = next.atMs - this.#clock.elapsedMs();
      if (!(await this.#clock.sleep(leftMs, signal)) || signal.aborted) return;
      this.#due.pop();
      next.ring();
    }
  }
}
