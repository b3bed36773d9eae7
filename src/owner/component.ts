/**
 * A component of the owner as a child of a supervisor. It runs until it is closed or reports a
 * failure.
 */
import { Refusal } from '../base/errors.ts';
import { describeError } from '../base/errors.ts';
import type { ChildHandle, Exit } from '../supervision/index.ts';

export class OwnerComponent implements ChildHandle {
  readonly #close: () => Promise<void>;
  readonly #exit = Promise.withResolvers<Exit>();
  #ending = false;

  /**
   * `close` releases everything that the component holds. It is called once, however the component
   * ends.
   */
  constructor(close: () => Promise<void>) {
    this.#close = close;
  }

  get exit(): Promise<Exit> {
    return this.#exit.promise;
  }

  ask(): void {
    void this.#end({ kind: 'shutdown' });
  }

  /**
   * A component shares the process of the owner and cannot be killed, so this closes it. If the
   * close hangs, the supervisor reports the component as unstopped.
   */
  kill(): void {
    void this.#end({ kind: 'killed' });
  }

  /** Reports that the component can no longer work. Its supervisor decides about a restart. */
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

/** For a component that another part of the owner needs, and that is not there at the moment. */
export function unavailable(what: string): never {
  throw new Refusal({
    code: 'owner.closing',
    message: `${what} is unavailable: the owner is restarting it, or is shutting down.`,
    hint: 'Try again in a moment.',
  });
}
