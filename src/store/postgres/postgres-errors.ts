/** Translates errors of the driver and of PostgreSQL into refusals. None of their texts has a password. */
import { Refusal, isRefusal } from '../../base/errors.ts';
import { runOfStream } from '../../protocol/streams.ts';
import { DamagedFact } from '../event-row.ts';
import { diskFull } from '../journal-refusals.ts';

/** The connection is gone. Whether the statement has run is not known. */
export class LostConnection extends Error {
  override readonly name = 'LostConnection';
}

/** Codes of the operating system for a database that is away, and may come back. */
const AWAY = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT', // the socket in the file system
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** What the driver says without a code. */
const DRIVER_LOST =
  /^Connection terminated|^timeout expired$|^Query read timeout$|not queryable$|^read E|^write E/;
const NO_PASSWORD = /client password must be a/;
/** Shutdown, crash, start, and no connection left; the class 08 is added. */
const SERVER_AWAY = new Set(['57P01', '57P02', '57P03', '57P05', '53300']);
const FULL = new Set(['53100', '53000', '53200']);
/** Another transaction was in the way; nothing was written, and a second try may pass. */
const AGAIN = new Set(['40001', '40P01']);
const CANCELED = new Set(['57014', '55P03', '25P03', '25P04']);
const UNIQUE = '23505';
const READ_ONLY = '25006';
const DENIED = '42501';
/** Values of the wrong type, and structures that PostgreSQL finds broken. */
const DAMAGED = new Set(['XX001', 'XX002', '42P01', '42703']);

/** The five characters of PostgreSQL. Errors of Node have longer codes. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function isLost(error: unknown): boolean {
  if (error instanceof LostConnection) return true;
  const state = sqlState(error);
  if (state !== undefined) return SERVER_AWAY.has(state) || state.startsWith('08');
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isLost);
  const code = 'code' in error ? error.code : undefined;
  return (typeof code === 'string' && AWAY.has(code)) || DRIVER_LOST.test(error.message);
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === UNIQUE;
}

export function mayPassAgain(error: unknown): boolean {
  return AGAIN.has(sqlState(error) ?? '');
}

/** The refusal for an error, or the error itself if it is a defect. `text` names the database. */
export function postgresRefusal(error: unknown, text: string): unknown {
  if (isRefusal(error)) return error;
  if (error instanceof DamagedFact) return damagedFact(text, error);
  if (isLost(error)) return unavailable(text, wordsOf(error), error);
  const state = sqlState(error);
  // The text of a fact is JSON when it is written.
  if (error instanceof SyntaxError) return damagedDatabase(text, 'a fact in it is not JSON', error);
  if (state === undefined) return error;
  if (FULL.has(state)) return diskFull(error);
  if (CANCELED.has(state))
    return unavailable(text, 'a statement was canceled, and nothing was written', error);
  if (state === READ_ONLY) return unavailable(text, 'it is read-only', error);
  if (state === DENIED) return denied(text, wordsOf(error), error);
  if (DAMAGED.has(state)) return damagedDatabase(text, wordsOf(error), error);
  return error;
}

/** While a connection is made every error of the server is a refusal: a wrong password, no such database. */
export function refusalAtConnecting(error: unknown, text: string): unknown {
  const refusal = postgresRefusal(error, text);
  if (isRefusal(refusal) || !(error instanceof Error)) return refusal;
  return unavailable(text, wordsOf(error), error);
}

/** The first line of an error, without the period at its end. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return wordsOf(error.errors[0]);
  if (error instanceof LostConnection && error.cause !== undefined) return wordsOf(error.cause);
  if (error instanceof Error && NO_PASSWORD.test(error.message))
    return 'it asks for a password, and none was found in ~/.pgpass, PGPASSFILE or PGPASSWORD';
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n');
  return line.replace(/\.$/, '') || 'it does not answer';
}

export function unavailable(text: string, why: string, cause?: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.unavailable',
      message: `The ${text} cannot be used: ${why}.`,
      hint: 'Check that PostgreSQL runs and that the address, the user and the password are right. See: supervisor doctor',
      details: { database: text },
    },
    { cause },
  );
}

/** Another process has taken the database, so this one may not write any more. */
export function superseded(text: string, by: string): Refusal {
  return new Refusal({
    code: 'owner.superseded',
    message: `The ${text} has another owner (${by}). This owner stops, and nothing was accepted.`,
    hint: 'Run the command again: it reaches the owner of this home, or says which one has the database.',
    details: { database: text },
  });
}

function denied(text: string, why: string, cause?: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.unreadable',
      message: `The ${text} refuses its user: ${why}.`,
      hint: 'Let an administrator grant it: GRANT CREATE, CONNECT ON DATABASE … TO …',
      details: { database: text },
    },
    { cause },
  );
}

export function damagedDatabase(text: string, why: string, cause?: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.damaged',
      message: `The ${text} cannot be used as a journal: ${why}.`,
      hint: 'Restore a copy of it, or name another database or schema. See what is damaged with: supervisor doctor',
      details: { database: text },
    },
    { cause },
  );
}

function damagedFact(text: string, { stream, seq, message }: DamagedFact): Refusal {
  const run = runOfStream(stream);
  const origin = run === undefined ? `of ${JSON.stringify(stream)}` : `of run ${run}`;
  return new Refusal({
    code: 'store.damaged',
    message: `Fact ${seq} ${origin} in the ${text} is damaged: ${message}.`,
    hint: 'Restore a copy of the database to get it back. See what is damaged with: supervisor doctor',
    details: { database: text, stream, seq },
  });
}

export function unknownDatabaseSchema(text: string, found: number, known: number): Refusal {
  return new Refusal({
    code: 'store.unknown-version',
    message: `The ${text} has schema version ${found}; this program knows only version ${known}.`,
    hint:
      found > known
        ? 'Use the release of Supervisor that wrote it, or a newer one.'
        : 'Start an owner of this release with the database: it brings the tables up to date.',
    details: { database: text, found, known },
  });
}
