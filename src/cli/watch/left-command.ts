/** How a command ends that only watches, when a signal ends it and the run continues. */
import type { ErrorFields } from '../../public-json/error-document.ts';
import { simpleError } from '../../public-json/error-document.ts';
import type { RunResult } from '../../public-json/run-result.ts';
import type { CliContext, InterruptSignal } from '../cli-context.ts';
import { EXIT, EXIT_BY_SIGNAL } from '../exit-codes.ts';

/** Aborts at the first signal. */
export class LeftCommand implements Disposable {
  readonly #left = new AbortController();
  readonly #forget: () => void;
  #by: InterruptSignal = 'SIGINT';

  constructor(context: Pick<CliContext, 'onInterrupt'>) {
    this.#forget = context.onInterrupt((signal) => {
      if (!this.#left.signal.aborted) this.#by = signal;
      this.#left.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  get code(): number {
    return EXIT_BY_SIGNAL[this.#by];
  }

  [Symbol.dispose](): void {
    this.#forget();
  }
}

/** `remedy`: how the person sees the run again. */
export function interruptedError(run: string, remedy: string): ErrorFields {
  const message = `A signal ended the command before run ${run} had ended. The run continues.`;
  return simpleError('command.interrupted', message, remedy);
}

/** A person who leaves with q has what they wanted. After a signal, the document says why the exit code is not 0. */
export function asLeft(result: RunResult, code: number): RunResult {
  if (code === EXIT.ok) return result;
  const { run_id: run } = result;
  const error = interruptedError(run, `Watch it again with: supervisor attach ${run}`);
  return { ...result, exit_code: code, error };
}
