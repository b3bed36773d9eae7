/** One part of the owner as a supervisor's child: up until it is closed, or until it says that it is broken. */
import { describeError } from '../base/errors.ts';
import type { ChildHandle, Exit } from '../supervision/index.ts';

export class OwnerComponent implements ChildHandle {
  readonly #close: () => Promise<void>;
  readonly #exit = Promise.withResolvers<Exit>();
  #ending = false;

  /** `close` lets go of all that the part holds. It is called once, however the part ends. */
  constructor(close: () => Promise<void>) {
    this.#close = close;
  }

  get exit(): Promise<Exit> {
    return this.#exit.promise;
  }

  ask(): void {
    void this.#end({ kind: 'shutdown' });
  }

  /** What shares our process can't be killed. It is let go of; a close that hangs is told as unstopped. */
  kill(): void {
    void this.#end({ kind: 'killed' });
  }

  /** It can't do its work any more. Whoever supervises it decides what then. */
  fail(reason: string): void {
    void this.#end({ kind: 'failed', reason });
  }

  async #end(exit: Exit): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    try {
      await this.#close();
      this.#exit.resolve(exit);
    } catch (error) {
      this.#exit.resolve({ kind: 'failed', reason: describeError(error) });
    }
  }
}
