/** The owner's own stream: facts that belong to no run. */
import type { Clock } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import type { NewEvent } from '../protocol/event.ts';
import { OWNER_STREAM } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';

export class OwnerStream {
  readonly #journal: Pick<Journal, 'lastSeq' | 'append'>;
  readonly #clock: Pick<Clock, 'now'>;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(journal: Pick<Journal, 'lastSeq' | 'append'>, clock: Pick<Clock, 'now'>) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Appends a fact. Facts are appended in the order of the calls. */
  record(event: NewEvent): Promise<void> {
    this.#lastWrite = this.#lastWrite.catch(() => undefined).then(() => this.#append(event));
    return this.#lastWrite;
  }

  async #append(event: NewEvent): Promise<void> {
    const last = await this.#journal.lastSeq(OWNER_STREAM);
    await this.#journal.append(OWNER_STREAM, last, [event], at(this.#clock.now()));
  }
}
