/**
 * Ensures that exactly one process owns the state. The owner holds an exclusive SQLite lock on a separate small file.
 * The system releases it when the process dies, however it dies. So there is never a stale lock with a pid that may
 * already belong to another process.
 */
import { DatabaseSync } from 'node:sqlite';
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
    throw sqliteRefusal(error, path);
  }
  const lock = database;
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}
