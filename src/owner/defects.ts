/** Runs that can't go on because of a fault of ours, and those who wait for such a run. */
import type { RunId } from '../base/ids.ts';

export class Defects {
  readonly #messages = new Map<RunId, string>();
  readonly #watchers = new Set<{ readonly run: RunId; readonly stuck: AbortController }>();

  add(run: RunId, message: string): void {
    this.#messages.set(run, message);
    for (const one of this.#watchers) if (one.run === run) one.stuck.abort(new Error(message));
  }

  list(): { readonly run: RunId; readonly message: string }[] {
    return [...this.#messages].map(([run, message]) => ({ run, message }));
  }

  /** `stuck` aborts with the fault once the run can't go on, or at once; `forget` when it no longer matters. */
  watch(run: RunId): { readonly stuck: AbortSignal; readonly forget: () => void } {
    const stuck = new AbortController();
    const message = this.#messages.get(run);
    if (message !== undefined) stuck.abort(new Error(message));
    const watcher = { run, stuck };
    this.#watchers.add(watcher);
    return { stuck: stuck.signal, forget: () => void this.#watchers.delete(watcher) };
  }
}
