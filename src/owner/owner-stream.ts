/** The owner's own stream: facts about the state as a whole, which are no run's. */
import type { Clock } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import type { NewEvent } from '../protocol/event.ts';
import { OWNER_STREAM } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';

export class OwnerStream {
  readonly #journal: Pick<Journal, 'lastSeq' | 'append'>;
  readonly #clock: Pick<Clock, 'now'>;
  #said: Promise<void> = Promise.resolve();

  constructor(journal: Pick<Journal, 'lastSeq' | 'append'>, clock: Pick<Clock, 'now'>) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Writes one fact after the other. */
  say(event: NewEvent): Promise<void> {
    this.#said = this.#said.catch(() => undefined).then(() => this.#append(event));
    return this.#said;
  }

  async #append(event: NewEvent): Promise<void> {
    const last = await this.#journal.lastSeq(OWNER_STREAM);
    await this.#journal.append(OWNER_STREAM, last, [event], at(this.#clock.now()));
  }
}
