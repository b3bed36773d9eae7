import { realpath } from 'node:fs/promises';
import { errnoCode } from './errno.ts';

/** A path with no symlink in it; undefined when nothing is there. */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errnoCode(error))) return undefined;
    throw error; // a disk that fails is not a path that is missing
  }
}
