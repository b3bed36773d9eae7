import { Serial } from '../../base/serial.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';

/** Records notes in the order in which they were added. The gateway does not wait for them. */
export class NoteQueue {
  readonly #note: (note: AttemptNote) => Promise<void>;
  readonly #serial = new Serial();
  #failures: readonly unknown[] = [];

  constructor(note: (note: AttemptNote) => Promise<void>) {
    this.#note = note;
  }

  add(note: AttemptNote): void {
    this.#serial
      .run(() => this.#note(note))
      .catch((error: unknown) => {
        if (this.#failures.length === 0) this.#failures = [error];
      });
  }

  /** Resolves when every note is recorded. Rejects with the first error if one could not be. */
  async recorded(): Promise<void> {
    await this.#serial.idle();
    for (const error of this.#failures) throw error;
  }
}
