import { realpath } from 'node:fs/promises';
import { errnoCode } from './errno.ts';

/** The path with all symlinks resolved. Undefined if it does not exist. */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errnoCode(error))) return undefined;
    throw error; // a failing disk is not a missing path
  }
}
