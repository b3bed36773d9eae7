/** Runs a bounded number of tasks at once. The others wait in the order of their calls. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#max) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      // The slot goes directly to the next waiting task, so that a new call cannot take it.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
