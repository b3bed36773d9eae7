/**
 * Spreads the starts of processes over turns of the event loop. A start blocks the loop until the operating system has
 * made the process, which takes milliseconds. Fifty runs that start git in the same turn would add up.
 */

/** How long starts may block one turn. At least one process starts in each. */
const TURN_MS_MAX = 10;

export class ProcessStarts {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  /** When the first start of the current turn began. Undefined: none has begun in this turn. */
  #since: number | undefined;

  /** `now` is in milliseconds and monotonic. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls `start` in this turn if there is time for it, or else in a later one. First come, first served. */
  run<Started>(start: () => Started): Promise<Started> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(start());
        } catch (error) {
          reject(error); // the caller of `run` gets it
        }
      });
      if (this.#waiting.length === 1) this.#startSome();
    });
  }

  #startSome(): void {
    if (this.#since === undefined) {
      this.#since = this.#now();
      setImmediate(() => {
        this.#since = undefined;
        if (this.#waiting.length > 0) this.#startSome();
      });
    }
    while (this.#waiting.length > 0 && this.#now() - this.#since < TURN_MS_MAX)
      this.#waiting.shift()?.();
  }
}

/** Agents without a sandbox, and the processes that only have to answer, such as git. */
export const processStarts = new ProcessStarts();
