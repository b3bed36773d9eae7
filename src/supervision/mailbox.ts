/**
 * Handles one message at a time, in the order of arrival. While one is handled, the others wait, so the
 * state behind the mailbox needs no lock.
 */
export class Mailbox<Message> {
  readonly #handle: (message: Message) => Promise<void>;
  readonly #waiting: Message[] = [];
  #busy = false;
  #closed = false;

  /** `handle` must not reject: it settles its own errors. */
  constructor(handle: (message: Message) => Promise<void>) {
    this.#handle = handle;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** False if the mailbox is closed: the message is not handled. */
  post(message: Message): boolean {
    if (this.#closed) return false;
    this.#waiting.push(message);
    if (!this.#busy) void this.#drain();
    return true;
  }

  /** Accepts no more messages and returns those not yet handled. */
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
