/**
 * The one way in which a command ends if the person leaves a question with Ctrl-C, Ctrl-D, Esc or a signal, or says no.
 */
import type { InterruptSignal } from '../cli-context.ts';
import { EXIT, EXIT_BY_SIGNAL } from '../exit-codes.ts';

/** No error: the person decided. The message says what was not done. */
export class Canceled extends Error {
  readonly exitCode: number;

  constructor(undone: string, signal?: InterruptSignal) {
    super(`Canceled. ${undone}`);
    this.exitCode = signal === undefined ? EXIT.interrupted : EXIT_BY_SIGNAL[signal];
  }
}
