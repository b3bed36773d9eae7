/** Waits for the ends of runs without showing them. */
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import type { OwnerConnection } from '../connect-owner.ts';

export class EndWaits {
  #client: Promise<Client>;
  readonly #again: (() => Promise<Client>) | undefined;

  /** Without `again`, a wait ends with the owner. */
  constructor({ client, again }: Pick<OwnerConnection, 'client' | 'again'>) {
    this.#client = Promise.resolve(client);
    this.#again = again;
  }

  /**
   * Resolves with the run at its end, or as it is when `signal` aborts. The owner may end with the run, so this makes no
   * request after the last event. `onChange` gets the run as it is at first and after each event. If the owner dies, waits with a new one, unless the run made no progress since.
   */
  async end(
    begun: RunView,
    signal?: AbortSignal,
    onChange: (view: RunView) => void = () => {},
  ): Promise<RunView> {
    let view = begun;
    onChange(view);
    for (let diedAt: number | undefined; view.outcome === null;) {
      const client = this.#client;
      try {
        for await (const event of (await client).followRun(view.id, view.seq, signal)) {
          view = foldRunView(view, event) ?? view;
          onChange(view);
        }
        return view;
      } catch (error) {
        const isLost = isRefusal(error, 'owner.unreachable') && this.#again !== undefined;
        if (!isLost || diedAt === view.seq) throw error;
        diedAt = view.seq;
        // Only the first of several waits connects again.
        if (this.#client === client) this.#client = this.#again();
      }
    }
    return view;
  }
}
