/** Opens the file of a journal, new or old, or refuses without having touched it. */
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
import { defineChecksums } from './checksum.ts';
import { damaged, newerSchema, refusalAtOpening, unreadable } from './sqlite-errors.ts';
import { RunTable } from './projections.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

const HEADER_BYTES = 100;
/** What every run said is for its user alone, also where the folder around it is opened to others. */
const PRIVATE_FILE = 0o600;
const MARK = 'journal.db was made. If it is empty, its facts are lost.\n';
/** Both format versions of the header are 2. */
const WAL_MODE = 0x0202;
const MAGIC = 'SQLite format 3\0';
/** Only the owner writes; the wait is for a person with a SQL shell. */
const BUSY_TIMEOUT_MS = 2000;

/**
 * A file up to this size is checked as a whole when it is opened: about 6 ms for each MB. After an owner that was cut
 * off more time is worth it. Of a larger file, each row is checked when it is read.
 */
const CHECKED_BYTES_MAX = { closed: 16_000_000, cutOff: 256_000_000 };
const PROBLEMS_MAX = 5;

/** What the journal uses of a database, so that a test can put one that dies in between. */
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
 * Must not be called while this process has the file open already: reading the header lets go of
 * the locks that POSIX keeps per process. `migrations` is a parameter so that a test can play a
 * future version.
 */
export function openDatabase(path: string, migrations = MIGRATIONS): DatabaseSync {
  checkHeader(path, migrations.length);
  const bytesMax = wasCutOff(path) ? CHECKED_BYTES_MAX.cutOff : CHECKED_BYTES_MAX.closed;
  let database: DatabaseSync | undefined;
  try {
    // No foreign keys: events refer to nothing, and a projection refers to what is never deleted.
    database = new DatabaseSync(path, {
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: false,
    });
    defineChecksums(database);
    prepare(database, path, migrations);
    if (sizeOf(path) <= bytesMax) {
      const [problem] = problemsOf(database);
      if (problem !== undefined) throw damaged(path, problem);
      new RunTable(database).mend();
    }
    for (const file of [path, logOf(path), `${path}-shm`])
      if (existsSync(file)) chmodSync(file, PRIVATE_FILE);
    if (!existsSync(markOf(path))) writeFileSync(markOf(path), MARK, { mode: PRIVATE_FILE });
    return database;
  } catch (error) {
    database?.close();
    throw refusalAtOpening(error, path);
  }
}

function prepare(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const version = userVersion(database);
  // Again, since a version that was still in the write-ahead log is not in the header.
  if (version > migrations.length) throw newerSchema(path, version, migrations.length);
  if (version < migrations.length) migrate(database, version, migrations);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA journal_size_limit = 67108864;
  `);
}

/** What is wrong with the structure of the file, and with its indexes, in SQLite's words. */
export function problemsOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${PROBLEMS_MAX})`).all();
  const words = rows.map(({ integrity_check: word }) => String(word).replaceAll('\n', '; '));
  return words[0] === 'ok' ? [] : words;
}

/** Whoever closes a journal in good order leaves no log beside it. */
function wasCutOff(path: string): boolean {
  return sizeOf(logOf(path)) > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function logOf(path: string): string {
  return `${path}-wal`;
}

/** All steps or none: a crash leaves the version from which it began. */
function migrate(database: DatabaseSync, version: number, migrations: readonly string[]): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)'); // puts the version where checkHeader looks
}

function userVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/**
 * Reads the first bytes as a file: to open a database, even only for reading, may already write
 * beside it.
 */
function checkHeader(path: string, known: number): void {
  if (!existsSync(path)) return;
  if (existsSync(`${path}-journal`)) return; // a first opening that died; SQLite undoes it
  const header = readHeader(path);
  if (header.length === 0 && existsSync(markOf(path)))
    throw damaged(path, 'it is empty, and it was not before');
  if (header.length === 0) return; // a first opening that died before it wrote anything
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 16) !== MAGIC)
    throw damaged(path, 'it is not an SQLite database');
  if (header.readUInt32BE(68) !== APPLICATION_ID)
    throw damaged(path, 'it is an SQLite database of another program');
  // With this flag damaged, SQLite would throw the log away with all facts in it.
  if (wasCutOff(path) && header.readUInt16BE(18) !== WAL_MODE)
    throw damaged(path, 'its header does not name the log beside it');
  const version = header.readUInt32BE(60);
  if (version > known) throw newerSchema(path, version, known);
}

/** Says that the journal beside it has been more than an empty file. */
function markOf(path: string): string {
  return `${path}.made`;
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } catch (error) {
    throw unreadable(path, error); // a folder, or somebody else's file
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
