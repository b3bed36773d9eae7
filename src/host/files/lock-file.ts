/**
 * A lock between processes that the kernel releases when its holder dies, however it dies. The lock is an exclusive
 * SQLite transaction on an empty file. The file stays when the lock is free: two processes could lock a removed file,
 * one the old file and one the new.
 * No other code of this process may open the file: when a process closes any handle on a file, the kernel drops the
 * process's locks on it. So the holder is recorded in a file beside it.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { isAlive, processTable } from '../process/process-table.ts';

export type LockHolder = {
  readonly pid: number;
  readonly startTime: number;
  readonly since: Instant;
  /** What the lock is held for. */
  readonly purpose: string;
};

export type LockOptions = { readonly clock: Clock; readonly purpose: string };

export type LockAnswer =
  | { readonly kind: 'taken'; readonly release: () => void }
  /** `by` is undefined if the holder has not written its record yet. */
  | { readonly kind: 'held'; readonly by: LockHolder | undefined };

const BUSY = 5;
const NOT_A_DATABASE = 26;
const HOLDER_SUFFIX = '.holder';
/** A holder without a record is either about to write it or only checking (`isLockHeld`). Both take microseconds. */
const UNNAMED_TRIES_MAX = 10;
const UNNAMED_WAIT_MS = 5;

/** Keeps these objects reachable, because garbage collection of one would release its lock. */
const held = new Set<DatabaseSync>();

/** Takes the lock, or returns its holder at once. The folder of `path` must exist. */
export async function takeLock(path: string, options: LockOptions): Promise<LockAnswer> {
  for (let tries = 1; ; tries += 1) {
    const lock = lockDatabase(path);
    if (lock !== undefined) return takenBy(lock, path, options);
    const by = readHolder(path);
    if (by !== undefined || tries >= UNNAMED_TRIES_MAX) return { kind: 'held', by };
    await sleep(UNNAMED_WAIT_MS);
  }
}

/** Whether any process holds the lock now. Creates no lock file. */
export function isLockHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const lock = lockDatabase(path);
  lock?.close();
  return lock === undefined;
}

/**
 * Whether a file with this name is the record of a lock holder, complete or partial. A holder that dies leaves it
 * behind.
 */
export function isHolderFile(name: string): boolean {
  return /\.lock\.holder(?:\.[0-9a-f]{12})?$/.test(name);
}

/** The holder as text, for messages. */
export function describeHolder(by: LockHolder | undefined): string {
  return by === undefined ? 'another process' : `process ${by.pid}`;
}

function takenBy(lock: DatabaseSync, path: string, { clock, purpose }: LockOptions): LockAnswer {
  held.add(lock);
  const release = (): void => {
    if (!held.delete(lock)) return;
    rmSync(`${path}${HOLDER_SUFFIX}`, { force: true }); // while no other process can have written it
    lock.close();
  };
  const startTime = processTable.row(process.pid)?.startTime ?? 0;
  const me: LockHolder = { pid: process.pid, startTime, since: clock.now(), purpose };
  try {
    writeHolder(path, me);
  } catch (error) {
    release();
    throw error; // only the lock is released here
  }
  return { kind: 'taken', release };
}

/** The exclusive lock on the file. Undefined if another connection has it, in this process or another. */
function lockDatabase(path: string): DatabaseSync | undefined {
  for (let isRepaired = false; ; isRepaired = true) {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      // A rollback journal on the disk would stay behind when the holder dies. There is nothing to roll back.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      database.close();
      const code = sqliteCode(error);
      if (code === BUSY) return undefined;
      if (code !== NOT_A_DATABASE || isRepaired) throw error;
      // Damaged content would make the lock unusable for ever. No process can hold such a file, so emptying it is
      // safe.
      truncateSync(path);
    }
  }
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** The rename makes the complete record visible at once. Within this process it is one step with taking the lock. */
function writeHolder(path: string, me: LockHolder): void {
  const file = `${path}${HOLDER_SUFFIX}`;
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, JSON.stringify(me), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * The recorded holder of the lock. The record of a dead holder is not removed, so a record counts only while its
 * process lives.
 */
function readHolder(path: string): LockHolder | undefined {
  let text: string;
  try {
    text = readFileSync(`${path}${HOLDER_SUFFIX}`, 'utf8');
  } catch {
    return undefined; // not written yet, or released meanwhile
  }
  const found = parseJson(text);
  if (!isRecord(found)) return undefined;
  const { pid, startTime, since, purpose } = found;
  if (typeof pid !== 'number' || typeof startTime !== 'number') return undefined;
  const holder = { pid, startTime, since: at(Number(since)), purpose: String(purpose) };
  return isAlive(holder) ? holder : undefined;
}
