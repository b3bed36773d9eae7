/**
 * Folders with those above them. Where the disk is read-only or fails, Node's own recursive `mkdir` says that the
 * folder is not there (ENOENT): it looks for the folder after an error that it does not know. The plain call says
 * what is wrong.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoCode } from './errno.ts';

const MODE = 0o777; // the umask decides the rest

/** The first folder that had to be made; undefined when all were there. */
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
    return error; // it can be made by now: what was in the way is gone
  } catch (real) {
    return real;
  }
}
