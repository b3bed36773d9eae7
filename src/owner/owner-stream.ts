/** The owner's own stream: facts that belong to no run. */
import type { Clock } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import { Serial } from '../base/serial.ts';
import type { NewOwnerEvent } from '../protocol/event.ts';
import { OWNER_STREAM } from '../protocol/streams.ts';
import type { Journal } from '../store/journal.ts';

export class OwnerStream {
  readonly #journal: Pick<Journal, 'lastSeq' | 'append'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #serial = new Serial();

  constructor(journal: Pick<Journal, 'lastSeq' | 'append'>, clock: Pick<Clock, 'now'>) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Appends a fact. Facts are appended in the order of the calls. */
  record(event: NewOwnerEvent): Promise<void> {
    return this.#serial.run(() => this.#append(event));
  }

  async #append(event: NewOwnerEvent): Promise<void> {
    const last = await this.#journal.lastSeq(OWNER_STREAM);
    await this.#journal.append(OWNER_STREAM, last, [event], at(this.#clock.now()));
  }
}
