/** Waits for the ends of runs without showing them. */
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import type { OwnerConnection } from '../connect-owner.ts';

/** How often in a row an owner may die before it has told the questions. */
const LOSSES_MAX = 5;

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
   * request after the last event. If the owner dies, waits with a new one, unless the run made no progress since.
   */
  async end(begun: RunView, signal?: AbortSignal): Promise<RunView> {
    let view = begun;
    for (let diedAt: number | undefined; view.outcome === null;) {
      const client = this.#client;
      try {
        for await (const event of (await client).followRun(view.id, view.seq, signal)) {
          view = foldRunView(view, event) ?? view;
        }
        return view;
      } catch (error) {
        const isLost = isRefusal(error, 'owner.unreachable') && this.#again !== undefined;
        if (!isLost || diedAt === view.seq) throw error;
        diedAt = view.seq;
        this.#reconnect(client);
      }
    }
    return view;
  }

  /** The open questions of the run and of the runs below it, as they are at first and after each change. */
  async *questions(
    run: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly OpenQuestion[], void> {
    for (let losses = 0; losses < LOSSES_MAX && !signal.aborted;) {
      const client = this.#client;
      try {
        for await (const questions of (await client).followQuestions(run, signal)) {
          losses = 0;
          yield questions;
        }
        return;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (!isRefusal(error, 'owner.unreachable')) return; // the wait for the end says what is wrong
        losses += 1;
        this.#reconnect(client);
      }
    }
  }

  /** Only the first of several waits connects again. */
  #reconnect(lost: Promise<Client>): void {
    if (this.#client === lost && this.#again !== undefined) this.#client = this.#again();
  }
}
