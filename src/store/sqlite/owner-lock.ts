/**
 * Exactly one process owns the state. Who owns it holds an exclusive lock of SQLite's on a small file
 * of its own: the system lets go of it when the process dies, however it dies, so there is never a
 * stale lock to judge by a pid that may already be somebody else's.
 */
import { DatabaseSync } from 'node:sqlite';
import { isBusy, sqliteRefusal } from './sqlite-errors.ts';

export type Ownership = {
  /** Lets the next one have it. Without it, the end of the process does. */
  release(): void;
};

/** A lock would be lost with an object that the garbage collector takes: these stay. */
const held = new Set<DatabaseSync>();

/**
 * The lock, or undefined at once when somebody has it, in this process or another. Nobody may
 * open the file in any other way: to close it would let go of the lock.
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
