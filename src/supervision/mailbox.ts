/**
 * One message at a time, in the order of arrival: while one is being carried out, whatever that
 * takes, the others wait. So the state behind it has one owner and needs no lock.
 */
export class Mailbox<Message> {
  readonly #handle: (message: Message) => Promise<void>;
  readonly #waiting: Message[] = [];
  #busy = false;
  #closed = false;

  /** `handle` must not reject: what goes wrong inside is its own to settle. */
  constructor(handle: (message: Message) => Promise<void>) {
    this.#handle = handle;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** False when it is closed: the message was not taken. */
  post(message: Message): boolean {
    if (this.#closed) return false;
    this.#waiting.push(message);
    if (!this.#busy) void this.#drain();
    return true;
  }

  /** No more messages; those not yet begun are given back. */
  close(): readonly Message[] {
    this.#closed = true;
    return this.#waiting.splice(0);
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#handle(next);
    this.#busy = false;
  }
}
