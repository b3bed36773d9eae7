/** The runs that cannot continue because of a defect, and the streams that wait for such a run. */
import type { RunId } from '../base/ids.ts';
import type { OwnerView } from '../protocol/api.ts';
import { runOfStream } from '../protocol/streams.ts';
import type { StreamDamage } from '../store/journal.ts';

export class Defects {
  readonly #messages = new Map<RunId, string>();
  readonly #watchers = new Set<{ readonly run: RunId; readonly stuck: AbortController }>();

  add(run: RunId, message: string): void {
    this.#messages.set(run, message);
    for (const watcher of this.#watchers)
      if (watcher.run === run) watcher.stuck.abort(new Error(message));
  }

  list(): { readonly run: RunId; readonly message: string }[] {
    return [...this.#messages].map(([run, message]) => ({ run, message }));
  }

  /** Also lists the runs with a damaged fact in the journal, whose defect is that damage. */
  listWith(damages: readonly StreamDamage[]): OwnerView['defects'] {
    const damaged = damages.flatMap(({ stream, refusal }) => {
      const run = runOfStream(stream);
      return run === undefined ? [] : [{ run, message: refusal.message, damaged: true as const }];
    });
    const known = new Set<string>(damaged.map(({ run }) => run));
    return [...damaged, ...this.list().filter(({ run }) => !known.has(run))];
  }

  /**
   * `stuck` aborts with the defect when the run cannot continue, or at once if that is known
   * already. Call `forget` when the watch is no longer needed.
   */
  watch(run: RunId): { readonly stuck: AbortSignal; readonly forget: () => void } {
    const stuck = new AbortController();
    const message = this.#messages.get(run);
    if (message !== undefined) stuck.abort(new Error(message));
    const watcher = { run, stuck };
    this.#watchers.add(watcher);
    return { stuck: stuck.signal, forget: () => void this.#watchers.delete(watcher) };
  }
}
