import type { RunId } from '../base/ids.ts';

/**
 * The runs whose model calls are held because the run is paused. The journal records which runs are
 * paused. This object holds the calls of agents that are running, and no agent outlives its owner.
 */
export class Pauses {
  readonly #paused = new Map<RunId, PromiseWithResolvers<void>>();

  hold(run: RunId): void {
    if (!this.#paused.has(run)) this.#paused.set(run, Promise.withResolvers());
  }

  release(run: RunId): void {
    this.#paused.get(run)?.resolve();
    this.#paused.delete(run);
  }

  /** Resolves when the run is not paused, or when the signal aborts. */
  async wait(run: RunId, signal: AbortSignal): Promise<void> {
    for (let paused = this.#paused.get(run); paused !== undefined; paused = this.#paused.get(run)) {
      if (signal.aborted) return;
      const aborted = Promise.withResolvers<void>();
      const abort = (): void => aborted.resolve();
      signal.addEventListener('abort', abort, { once: true });
      await Promise.race([paused.promise, aborted.promise]);
      signal.removeEventListener('abort', abort);
    }
  }
}
