/** Paths with every symlink resolved. */
import { readlinkSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { errnoCode } from './errno.ts';

/** Undefined if it does not exist. Rejects if the disk fails. */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errnoCode(error))) return undefined;
    throw error; // a failing disk is not a missing path
  }
}

/** Undefined if it does not exist or cannot be reached for any reason. */
export function realPathSync(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // it does not exist, or the links form a loop
  }
}

/** What a symbolic link names, if that does not exist. Undefined for everything else. */
export function danglingTarget(path: string): string | undefined {
  try {
    const target = readlinkSync(path);
    return realPathSync(path) === undefined ? target : undefined;
  } catch {
    return undefined; // it is no link, or is absent
  }
}
