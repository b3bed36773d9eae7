/** What SQLite's error numbers mean to a caller. */
import { dirname } from 'node:path';
import { Refusal, isRefusal } from '../../base/errors.ts';
import { full } from '../refusals.ts';

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;

/** The primary code: the low byte, without SQLite's finer distinctions. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

export function isConstraint(error: unknown): boolean {
  return codeOf(error) === CONSTRAINT;
}

/** Whether it comes from the file and not from whoever used it: another handle on it may do better. */
export function isFileFault(error: unknown): boolean {
  if (isRefusal(error, 'store.damaged') || isRefusal(error, 'store.unreadable')) return true;
  if (codeOf(error) !== undefined) return true;
  return error instanceof Error && error.cause !== undefined && isFileFault(error.cause);
}

/** The refusal that an error of SQLite amounts to, or the error itself when it is a defect. */
export function refusalFor(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case FULL:
      return full(error);
    case CORRUPT:
    case NOTADB:
      return damaged(path, 'it is not a sound SQLite database', error);
    case IOERR:
      return new Refusal(
        {
          code: 'store.unreadable',
          message: `The disk that holds ${path} reports an error.`,
          hint: 'Look at the disk (dmesg, smartctl), and move the home to another.',
          details: { path },
        },
        { cause: error },
      );
    case CANTOPEN:
    case READONLY:
      return unreadable(path, error);
    case undefined:
      // The text of a fact is JSON when it is written.
      if (error instanceof SyntaxError) return damaged(path, 'a fact in it is not JSON', error);
      return error;
    default:
      return error;
  }
}

export function unreadable(path: string, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.unreadable',
      message: `The database ${path} can't be opened for writing.`,
      hint: `Check that the folder ${dirname(path)} exists, that both are yours, and that its disk is not read-only.`,
      details: { path },
    },
    { cause },
  );
}

export function damaged(path: string, why: string, cause?: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.damaged',
      message: `${path} can't be used as a journal: ${why}.`,
      hint: 'Move the file away to start anew, or put a copy in its place.',
      details: { path },
    },
    { cause },
  );
}

export function newerSchema(path: string, found: number, known: number): Refusal {
  return new Refusal({
    code: 'store.newer-schema',
    message: `${path} has schema version ${found}; this program knows versions up to ${known}.`,
    hint: 'Use the newer program that wrote it.',
    details: { path, found, known },
  });
}
