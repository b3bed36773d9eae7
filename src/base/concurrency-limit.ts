/** Lets a bounded number of tasks go on side by side; the others wait for their turn in the order they came. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #going = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#going < this.#max) this.#going += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      // The place goes straight to the next one, so a newcomer can't take it in between.
      if (next === undefined) this.#going -= 1;
      else next();
    }
  }
}
