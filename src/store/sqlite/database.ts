/** Opens the file of a journal, or creates it. A refused file is left untouched. */
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { defineRunChecksum } from './run-checksum.ts';
import { damaged, refusalAtOpening, unknownSchema, unreadable } from './sqlite-errors.ts';
import { RunTable } from './projections.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { VIEWS } from './views.ts';

const HEADER_BYTES = 100;
/** Only the user may read the output of runs, even if other users can enter the folder. */
const PRIVATE_FILE = 0o600;
const MARKER_TEXT = 'journal.db was made. If it is empty, its facts are lost.\n';
/** Both format versions in the header are 2. */
const WAL_MODE = 0x0202;
const MAGIC = 'SQLite format 3\0';
/** Only the owner writes. The wait is for a person with a SQL shell. */
const BUSY_TIMEOUT_MS = 2000;

/**
 * A file up to this size is checked completely when it is opened, at about 6 ms per MB. After an interrupted owner a
 * longer check is worth it. In a larger file, each row is checked when it is read.
 */
const CHECKED_BYTES_MAX = { closed: 16_000_000, interrupted: 256_000_000 };
const PROBLEMS_MAX = 5;

/** The parts of a database that the journal uses, so that a test can pass one that fails. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
  readonly isTransaction: boolean;
}

type Row = Record<string, SQLOutputValue>;

export interface Statement {
  run(...values: SQLInputValue[]): unknown;
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  iterate(...values: SQLInputValue[]): Iterable<Row>;
}

/**
 * Must not be called while this process has the file open: closing the header read would release POSIX locks, which
 * are per process.
 */
export function openDatabase(path: string): DatabaseSync {
  checkHeader(path);
  const bytesMax = wasInterrupted(path) ? CHECKED_BYTES_MAX.interrupted : CHECKED_BYTES_MAX.closed;
  let database: DatabaseSync | undefined;
  try {
    // No foreign keys: events refer to nothing, and a projection refers only to rows that are never deleted.
    database = new DatabaseSync(path, {
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: false,
    });
    defineRunChecksum(database);
    prepare(database, path);
    if (fileSize(path) <= bytesMax) {
      const [problem] = integrityProblems(database);
      if (problem !== undefined) throw damaged(path, problem);
      new RunTable(database).repair();
    }
    for (const file of [path, walPath(path), `${path}-shm`])
      if (existsSync(file)) chmodSync(file, PRIVATE_FILE);
    if (!existsSync(markerPath(path)))
      writeFileSync(markerPath(path), MARKER_TEXT, { mode: PRIVATE_FILE });
    return database;
  } catch (error) {
    database?.close();
    throw refusalAtOpening(error, path);
  }
}

function prepare(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version === 0) createTables(database);
  // Checked again, because a version that is still in the write-ahead log is not in the header.
  else if (version !== SCHEMA_VERSION) throw unknownSchema(path, version);
  else renewViews(database);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA journal_size_limit = 67108864;
  `);
}

/** What is wrong with the structure of the file and its indexes, in SQLite's words. */
export function integrityProblems(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${PROBLEMS_MAX})`).all();
  const messages = rows.map(({ integrity_check: message }) =>
    String(message).replaceAll('\n', '; '),
  );
  return messages[0] === 'ok' ? [] : messages;
}

/** A journal that was closed properly leaves no log beside it. */
function wasInterrupted(path: string): boolean {
  return fileSize(walPath(path)) > 0;
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function walPath(path: string): string {
  return `${path}-wal`;
}

/** In one transaction: a crash leaves an empty file. */
function createTables(database: DatabaseSync): void {
  inTransaction(database, () => {
    database.exec(SCHEMA);
    for (const view of Object.values(VIEWS)) database.exec(view);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** A file of another release may have other views. They hold nothing, so they are replaced. */
function renewViews(database: DatabaseSync): void {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").all();
  const found = new Map(rows.map(({ name, sql }) => [name, sql]));
  const other = Object.entries(VIEWS).filter(([name, sql]) => found.get(name) !== sql);
  if (other.length === 0) return;
  inTransaction(database, () => {
    for (const [name, sql] of other) {
      database.exec(`DROP VIEW IF EXISTS ${name}`);
      database.exec(sql);
    }
  });
}

function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    write();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Reads the first bytes as a plain file, because opening a database, even read-only, may write beside it. */
function checkHeader(path: string): void {
  if (!existsSync(path)) return;
  if (existsSync(`${path}-journal`)) return; // a first opening that died; SQLite rolls it back
  const header = readHeader(path);
  if (header.length === 0 && existsSync(markerPath(path)))
    throw damaged(path, 'it is empty, and it was not before');
  if (header.length === 0) return; // a first opening that died before it wrote anything
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 16) !== MAGIC)
    throw damaged(path, 'it is not an SQLite database');
  if (header.readUInt32BE(68) !== APPLICATION_ID)
    throw damaged(path, 'it is an SQLite database of another program');
  // If this flag is damaged, SQLite would discard the log with all facts in it.
  if (wasInterrupted(path) && header.readUInt16BE(18) !== WAL_MODE)
    throw damaged(path, 'its header does not name the log beside it');
  const version = header.readUInt32BE(60);
  if (version !== SCHEMA_VERSION) throw unknownSchema(path, version);
}

/** A marker file. It shows that the journal beside it was once more than an empty file. */
function markerPath(path: string): string {
  return `${path}.made`;
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } catch (error) {
    throw unreadable(path, error); // a folder, or a file of another user
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
