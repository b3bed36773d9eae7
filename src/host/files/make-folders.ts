/**
 * Creates folders with their parents. On a read-only or failing disk, Node's own recursive `mkdir` reports a missing
 * folder (ENOENT), because it looks for the folder after an unknown error. A plain `mkdir` reports the real error.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoCode } from './errno.ts';

const MODE = 0o777; // the umask decides the rest

/** Returns the first folder that was created. Undefined if all existed. */
export async function makeFolders(path: string, mode = MODE): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode });
  } catch (error) {
    throw realError(error, path, mode);
  }
}

export function makeFoldersSync(path: string, mode = MODE): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    throw realError(error, path, mode);
  }
}

function realError(error: unknown, path: string, mode: number): unknown {
  if (errnoCode(error) !== 'ENOENT') return error;
  let missing = path;
  while (!existsSync(dirname(missing)) && dirname(missing) !== missing) missing = dirname(missing);
  try {
    mkdirSync(missing, { mode });
    return error; // it can be created now: the obstacle is gone
  } catch (real) {
    return real;
  }
}
