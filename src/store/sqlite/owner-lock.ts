/**
 * Ensures that exactly one process owns the state. The owner holds an exclusive SQLite lock on a separate small file.
 * The system releases it when the process dies, however it dies. So there is never a stale lock with a pid that may
 * already belong to another process.
 */
import { DatabaseSync } from 'node:sqlite';
import { Refusal, isRefusal } from '../../base/errors.ts';
import { isBusy, sqliteRefusal } from './sqlite-errors.ts';

export type Ownership = {
  /** Releases the lock for the next owner. The end of the process releases it too. */
  release(): void;
};

/** Keeps these objects reachable, because garbage collection of one would release its lock. */
const held = new Set<DatabaseSync>();

/**
 * The lock, or undefined at once if this or another process holds it. No other code may open the file: closing it
 * would release the lock.
 */
export function acquireOwnership(path: string): Ownership | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    const refusal = sqliteRefusal(error, path);
    throw isRefusal(refusal, 'store.damaged') ? notALock(path, error) : refusal;
  }
  const lock = database;
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

/** The file has no content of its own, so nothing is lost without it. */
function notALock(path: string, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.unreadable',
      message: `${path} is not the lock of an owner: its content was replaced.`,
      hint: 'Delete this file. It holds no data, and the next owner creates it again.',
      details: { path },
    },
    { cause },
  );
}
