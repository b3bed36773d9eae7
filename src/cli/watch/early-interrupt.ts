/**
 * Ctrl-C and SIGTERM while a run is being submitted. Without a listener they would end the command, and the run would
 * work on although its id was never shown. So they are kept until the run has a screen or is stopped. Nothing that waits for
 * the owner in between may outlast a signal.
 */
import { Canceled } from '../ask/canceled.ts';
import type { CliContext, InterruptSignal } from '../cli-context.ts';
import { EXIT_BY_SIGNAL } from '../exit-codes.ts';

const WAITING = '\nWaiting for the id of the run. Press Ctrl-C again to leave now.\n';
const LEFT = 'The owner has not answered, so the run may have begun. See: supervisor status';

export class EarlyInterrupt implements Disposable {
  readonly #context: Pick<CliContext, 'onInterrupt' | 'err'>;
  #interrupted = Promise.withResolvers<undefined>();
  #forget: (() => void) | undefined;
  #hasAnswer = false;
  #signals: readonly InterruptSignal[] = [];

  constructor(context: Pick<CliContext, 'onInterrupt' | 'err'>) {
    this.#context = context;
  }

  /** The first signal waits for the answer, which has the id. The second one leaves. If the owner refuses, none counts. */
  async during<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    const left = Promise.withResolvers<never>();
    const interrupted = Promise.withResolvers<undefined>();
    [this.#signals, this.#interrupted, this.#hasAnswer] = [[], interrupted, false];
    this.#forget = this.#context.onInterrupt((signal) => {
      this.#signals = [...this.#signals, signal];
      interrupted.resolve(undefined);
      if (this.#hasAnswer) return;
      if (this.#signals.length === 1) this.#context.err(WAITING);
      else left.reject(new Canceled(LEFT, signal));
    });
    left.promise.catch(() => undefined); // after the answer, a second signal is a kill
    try {
      const answer = await Promise.race([send(), left.promise]);
      this.#hasAnswer = true;
      return answer;
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Work after the answer that only informs. A signal leaves it, so that what the signal is for happens at once. */
  async unlessInterrupted<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.isInterrupted) return undefined;
    const working = work();
    working.catch(() => undefined); // it may fail after it was left
    return Promise.race([working, this.#interrupted.promise]);
  }

  get isInterrupted(): boolean {
    return this.#signals.length > 0;
  }

  /** The exit code of a command that the first signal ends. */
  get code(): number {
    return EXIT_BY_SIGNAL[this.#signals[0] ?? 'SIGINT'];
  }

  /** How many signals there were. From now on they reach another listener, or end the command. */
  handOver(): number {
    this[Symbol.dispose]();
    return this.#signals.length;
  }

  [Symbol.dispose](): void {
    this.#forget?.();
    this.#forget = undefined;
  }
}
