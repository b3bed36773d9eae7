import type { RunId } from '../base/ids.ts';

/**
 * Which runs have their model calls held. The journal knows which runs are paused; this is for the
 * agents that are at work meanwhile, and none of those outlives its owner.
 */
export class Pauses {
  readonly #held = new Map<RunId, PromiseWithResolvers<void>>();

  hold(run: RunId): void {
    if (!this.#held.has(run)) this.#held.set(run, Promise.withResolvers());
  }

  letGo(run: RunId): void {
    this.#held.get(run)?.resolve();
    this.#held.delete(run);
  }

  /** Resolves when the run is not paused, or when the signal aborts. */
  async wait(run: RunId, signal: AbortSignal): Promise<void> {
    for (let held = this.#held.get(run); held !== undefined; held = this.#held.get(run)) {
      if (signal.aborted) return;
      const left = Promise.withResolvers<void>();
      const leave = (): void => left.resolve();
      signal.addEventListener('abort', leave, { once: true });
      await Promise.race([held.promise, left.promise]);
      signal.removeEventListener('abort', leave);
    }
  }
}
