/** Bounds how often something may be tried in a period, such as a wrong token. It remembers a number of times only. */
export class GuessLimit {
  readonly #timesMax: number;
  readonly #withinMs: number;
  #times: number[] = [];

  constructor(timesMax: number, withinMs: number) {
    this.#timesMax = timesMax;
    this.#withinMs = withinMs;
  }

  /** Milliseconds until another try is allowed. 0: now. */
  waitMs(elapsedMs: number): number {
    this.#times = this.#times.filter((one) => one > elapsedMs - this.#withinMs);
    const [oldest] = this.#times;
    if (oldest === undefined || this.#times.length < this.#timesMax) return 0;
    return oldest + this.#withinMs - elapsedMs;
  }

  count(elapsedMs: number): void {
    this.#times = [...this.#times, elapsedMs].slice(-this.#timesMax);
  }
}
