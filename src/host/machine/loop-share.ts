/**
 * Keeps one long task from blocking the event loop. Settled promises yield to nothing else, so a loop over the pages
 * of a history would delay every other answer until its end.
 */

/** How long the event loop may be blocked. */
const SHARE_MS = 10;

export class LoopShare {
  readonly #now: () => number;
  /** When the current turn of the event loop was first used. Undefined: no turn is in use. */
  #since: number | undefined;

  /** `now` is in milliseconds and monotonic. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Await it between two pieces of work. It yields once the current turn has lasted long enough. */
  async pause(): Promise<void> {
    if (this.#since === undefined) {
      this.#since = this.#now();
      setImmediate(() => (this.#since = undefined));
      return;
    }
    if (this.#now() - this.#since < SHARE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
