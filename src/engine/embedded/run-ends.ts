/** Lets one run wait for the end of another. */
import type { RunId } from '../../base/ids.ts';
import type { Journal } from '../../store/journal.ts';

export class RunEnds {
  readonly #journal: Pick<Journal, 'run'>;
  readonly #onEnded: (run: RunId) => void;
  readonly #waiting = new Map<RunId, PromiseWithResolvers<void>>();

  constructor(journal: Pick<Journal, 'run'>, onEnded: (run: RunId) => void) {
    this.#journal = journal;
    this.#onEnded = onEnded;
  }

  /** The journal has the end of this run. */
  hasEnded(run: RunId): void {
    this.#onEnded(run);
    this.#resolve(run);
  }

  async wait(run: RunId): Promise<void> {
    const end = this.#waiting.get(run) ?? Promise.withResolvers<void>();
    this.#waiting.set(run, end);
    // It may have ended before.
    if ((await this.#journal.run(run))?.endedAt !== null) this.#resolve(run);
    await end.promise;
  }

  #resolve(run: RunId): void {
    this.#waiting.get(run)?.resolve();
    this.#waiting.delete(run);
  }
}
