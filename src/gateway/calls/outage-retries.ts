/**
 * The retry times for a provider that has trouble and names no time. The gateway retries itself, because CLIs differ:
 * one never waits, another waits for minutes. How long it retries depends on what a failure would lose. Before the
 * agent's first answer nothing is lost, and another agent can begin. Later, the agent would lose its context.
 */

export type OutageTerms = {
  /** The time for an agent that has begun its work, or that no other agent can replace. */
  readonly patienceMs: number;
  /** Whether another agent could begin in its place. */
  readonly replaceable: boolean;
};

/** Two retries: a fault that hits one call in a hundred does not hit three in a row. */
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

  /** The agent has received a complete answer to its work. */
  answered(): void {
    this.#isFresh = false;
  }

  /** Whether to hold back the beginning of an answer, so that the call can be retried if it breaks. */
  get holdsBack(): boolean {
    return this.#isFresh && this.#terms.patienceMs > 0;
  }

  /** The wait before the `nth` retry, after `waitedMs` of waiting in all. Undefined: no further retry. */
  waitMs(nth: number, waitedMs: number): number | undefined {
    const { patienceMs, replaceable } = this.#terms;
    const allowedMs =
      this.#isFresh && replaceable ? Math.min(FRESH_PATIENCE_MS, patienceMs) : patienceMs;
    const waitMs = Math.min(FIRST_WAIT_MS * WAIT_FACTOR ** (nth - 1), WAIT_MS_MAX);
    return waitedMs + waitMs <= allowedMs ? waitMs : undefined;
  }
}
