/**
 * Keeps one long task from silencing the event loop. Promises that are already settled give nothing else a
 * turn, so a loop over pages of a history would hold up every other answer until it is through.
 */

/** How long the loop may be kept from its other work. */
const SHARE_MS = 10;

export class LoopShare {
  readonly #now: () => number;
  /** When the current turn of the loop was first used; undefined: in no turn yet. */
  #since: number | undefined;

  /** `now` is in milliseconds and never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** To be awaited between two pieces of work: gives the loop a turn once this one has lasted long enough. */
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
