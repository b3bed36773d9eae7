/** Translates SQLite's error numbers into refusals. */
import { dirname } from 'node:path';
import { Refusal, isRefusal } from '../../base/errors.ts';
import { runOfStream } from '../../protocol/streams.ts';
import { diskFull } from '../journal-refusals.ts';
import { DamagedFact } from '../event-row.ts';
import { SCHEMA_VERSION } from './schema.ts';

const ERROR = 1;
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;

/** The primary code: the low byte, without SQLite's extended codes. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

export function isConstraint(error: unknown): boolean {
  return primaryCode(error) === CONSTRAINT;
}

/** Whether the error comes from the file and not from its user. Another handle on the file may work. */
export function isFileFault(error: unknown): boolean {
  if (isRefusal(error, 'store.damaged') || isRefusal(error, 'store.unreadable')) return true;
  if (primaryCode(error) !== undefined) return true;
  return error instanceof Error && error.cause !== undefined && isFileFault(error.cause);
}

/** The refusal for an error of SQLite, or the error itself if it is a defect. */
export function sqliteRefusal(error: unknown, path: string): unknown {
  if (error instanceof DamagedFact) return damagedFact(path, error);
  switch (primaryCode(error)) {
    case FULL:
      return diskFull(error);
    case CORRUPT:
    case NOTADB:
      return damaged(path, 'it is not a sound SQLite database', error);
    case ERROR:
      // SQLite itself parses the JSON of a row, and everything that we write is JSON.
      if (error instanceof Error && error.message === 'malformed JSON')
        return damaged(path, 'a row of it is not JSON', error);
      return error;
    case IOERR:
      return new Refusal(
        {
          code: 'store.unreadable',
          message: `The disk that holds ${path} reports an error.`,
          hint: 'Check the disk (dmesg, smartctl), and move the home to another disk.',
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

/** The same while the file is opened. Then a failing statement means that the tables are not those of a journal. */
export function refusalAtOpening(error: unknown, path: string): unknown {
  if (primaryCode(error) === ERROR && error instanceof Error)
    return damaged(path, `its tables are not those of a journal (${error.message})`, error);
  return sqliteRefusal(error, path);
}

export function unreadable(path: string, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.unreadable',
      message: `The database ${path} cannot be opened for writing.`,
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
      message: `${path} cannot be used as a journal: ${why}.`,
      hint: 'Restore a copy of it, or move the file away to start with an empty journal. See what is damaged with: supervisor doctor',
      details: { path },
    },
    { cause },
  );
}

function damagedFact(path: string, { stream, seq, message }: DamagedFact): Refusal {
  const run = runOfStream(stream);
  const origin = run === undefined ? `of ${JSON.stringify(stream)}` : `of run ${run}`;
  const others = run === undefined ? '' : ' Other runs continue without it.';
  return new Refusal({
    code: 'store.damaged',
    message: `Fact ${seq} ${origin} in ${path} is damaged: ${message}.`,
    hint: `Restore a copy of the file to get it back.${others} See what is damaged with: supervisor doctor`,
    details: { path, stream, seq },
  });
}

export function unknownSchema(path: string, found: number): Refusal {
  return new Refusal({
    code: 'store.unknown-version',
    message: `${path} has schema version ${found}; this program knows only version ${SCHEMA_VERSION}.`,
    hint: 'Use the release of Supervisor that wrote it, or move the file away to start with an empty journal.',
    details: { path, found, known: SCHEMA_VERSION },
  });
}
