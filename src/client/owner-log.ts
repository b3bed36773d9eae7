/**
 * The log of a background owner, beside its journal. If an owner can't start, its log also passes the refusal to
 * the command that started it.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { Refusal } from '../base/errors.ts';
import type { RefusalData } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { homeError, requireUsableHome } from '../host/machine/require-usable-home.ts';
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

  /** Creates the home if there is none. Refuses with `home.unusable` if it can't be used. */
  static open({ dir, ownerLog }: Home): OwnerLog {
    try {
      requireUsableHome(dir);
      makeFoldersSync(dir, 0o700);
      const bytes = statSync(ownerLog, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes > LOG_BYTES_MAX) renameSync(ownerLog, `${ownerLog}.1`);
      const log = new OwnerLog(ownerLog, bytes > LOG_BYTES_MAX ? 0 : bytes);
      log.handle()[Symbol.dispose](); // it can be written
      return log;
    } catch (error) {
      throw homeError(dir, error) ?? error;
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
