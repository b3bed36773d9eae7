/**
 * Creates folders with their parents, one plain `mkdir` at a time. Node's own recursive `mkdir` never returns below
 * /proc, and on a read-only disk it reports a missing folder (ENOENT) instead of the real error.
 */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errnoCode } from './errno.ts';

const MODE = 0o777; // the umask decides the rest
/** Another process may create or delete a parent between two steps. Below /proc, no number of tries helps. */
const TRIES_MAX = 20;

/** Returns the first folder that was created. Undefined if all existed. */
export async function makeFolders(path: string, mode = MODE): Promise<string | undefined> {
  const plan = new FolderPlan(path);
  for (let next = plan.next(); next !== undefined; next = plan.next()) {
    try {
      await mkdir(next, { mode });
      plan.made();
    } catch (error) {
      plan.failed(error, await isFolder(next), await isFolder(dirname(next)));
    }
  }
  return plan.first;
}

export function makeFoldersSync(path: string, mode = MODE): void {
  const plan = new FolderPlan(path);
  for (let next = plan.next(); next !== undefined; next = plan.next()) {
    try {
      mkdirSync(next, { mode });
      plan.made();
    } catch (error) {
      plan.failed(error, isFolderSync(next), isFolderSync(dirname(next)));
    }
  }
}

/** The folders that are still to be created, the deepest first. */
class FolderPlan {
  first: string | undefined;
  readonly #missing: string[];
  readonly #tries = new Map<string, number>();

  constructor(path: string) {
    this.#missing = [resolve(path)];
  }

  next(): string | undefined {
    return this.#missing.at(-1);
  }

  made(): void {
    this.first ??= this.#missing.at(-1);
    this.#missing.pop();
  }

  /** Throws the error unless the folder exists by now, or its parent was missing. */
  failed(error: unknown, exists: boolean, hasParent: boolean): void {
    const path = this.#missing.at(-1) ?? '';
    if (exists) {
      this.#missing.pop();
      return;
    }
    const tries = (this.#tries.get(path) ?? 0) + 1;
    this.#tries.set(path, tries);
    if (errnoCode(error) !== 'ENOENT' || tries > TRIES_MAX) throw error;
    if (!hasParent) this.#missing.push(dirname(path));
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false, // whatever the reason, `mkdir` reports it
  );
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // whatever the reason, `mkdir` reports it
  }
}
