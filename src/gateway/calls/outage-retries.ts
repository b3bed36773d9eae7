/**
 * A provider that has trouble and names no time is asked again by us: the CLIs wait each in their own
 * way, one not at all, another for minutes. How long depends on what would be lost. While an agent has
 * had no answer yet that is nothing, and another one can begin; afterwards it is all that it has in mind.
 */

export type OutageTerms = {
  /** For an agent that is at work, or that nobody could replace. */
  readonly patienceMs: number;
  /** Whether another agent could begin in its place. */
  readonly replaceable: boolean;
};

/** Twice asked again: what hits one call in a hundred does not hit three in a row. */
const FRESH_PATIENCE_MS = 300;
const FIRST_WAIT_MS = 100;
const WAIT_FACTOR = 2;
const WAIT_MS_MAX = 3000;

export class OutageRetries {
  readonly #terms: OutageTerms;
  #isFresh = true;

  constructor(terms: OutageTerms) {
    this.#terms = terms;
  }

  /** The agent has had a whole answer to its work. */
  answered(): void {
    this.#isFresh = false;
  }

  /** Whether the beginning of an answer is worth holding back, to ask again should it break. */
  get holdsBack(): boolean {
    return this.#isFresh && this.#terms.patienceMs > 0;
  }

  /** Before asking for the `nth` time again, after so long a wait in all; undefined: enough. */
  waitMs(nth: number, waitedMs: number): number | undefined {
    const { patienceMs, replaceable } = this.#terms;
    const mayMs =
      this.#isFresh && replaceable ? Math.min(FRESH_PATIENCE_MS, patienceMs) : patienceMs;
    const waitMs = Math.min(FIRST_WAIT_MS * WAIT_FACTOR ** (nth - 1), WAIT_MS_MAX);
    return waitedMs + waitMs <= mayMs ? waitMs : undefined;
  }
}
