/**
 * The log of a background owner, beside its journal. If an owner can't start, its log also passes the refusal to
 * the command that started it.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { Refusal, describeError } from '../base/errors.ts';
import type { RefusalData } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import type { Home } from '../host/machine/state-home.ts';
import { makeFoldersSync } from '../host/files/make-folders.ts';
import { ErrorBody } from '../protocol/api.ts';

/** A larger log is renamed when the next owner starts. One older log is kept. */
const LOG_BYTES_MAX = 1_000_000;
const REFUSAL_BYTES_MAX = 100_000;
const REFUSED = 'refused {"error":';

/** A log line that `OwnerLog.refusal` can read. */
export function refusedLine(data: RefusalData): string {
  return `refused ${JSON.stringify({ error: data })}`;
}

export class OwnerLog {
  readonly #path: string;
  readonly #begin: number;

  private constructor(path: string, begin: number) {
    this.#path = path;
    this.#begin = begin;
  }

  /** Creates the home if there is none. Refuses with `store.unreadable` if that fails. */
  static open({ dir, ownerLog }: Home): OwnerLog {
    try {
      makeFoldersSync(dir, 0o700);
      const bytes = statSync(ownerLog, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes <= LOG_BYTES_MAX) return new OwnerLog(ownerLog, bytes);
      renameSync(ownerLog, `${ownerLog}.1`);
      return new OwnerLog(ownerLog, 0);
    } catch (error) {
      throw new Refusal(
        {
          code: 'store.unreadable',
          message: `The home ${dir} can't be used: ${describeError(error)}.`,
          hint: 'Set SUPERVISOR_HOME to a folder that you can write to.',
        },
        { cause: error },
      );
    }
  }

  handle(): Disposable & { readonly descriptor: number } {
    const descriptor = openSync(this.#path, 'a', 0o600);
    return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  }

  /** The last refusal that was written after this log was opened. */
  refusal(): Refusal | undefined {
    const lines = this.#newText().split('\n');
    const line = lines.findLast((one) => one.includes(REFUSED)) ?? '';
    const body = ErrorBody.safeParse(parseJson(line.slice(line.indexOf('{'))));
    return body.success ? new Refusal(body.data.error) : undefined;
  }

  #newText(): string {
    const descriptor = openSync(this.#path, 'r');
    try {
      const bytes = Math.min(fstatSync(descriptor).size - this.#begin, REFUSAL_BYTES_MAX);
      const buffer = Buffer.alloc(Math.max(0, bytes));
      return buffer.toString(
        'utf8',
        0,
        readSync(descriptor, buffer, 0, buffer.length, this.#begin),
      );
    } finally {
      closeSync(descriptor);
    }
  }
}
