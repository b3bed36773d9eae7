/** Copies a folder as a whole: after a crash, the copy is complete or not there. */
import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../atomic-files.ts';
import { errnoCode } from '../errno.ts';
import type { TreeBounds } from './copy-tree.ts';
import { copyTree } from './copy-tree.ts';
import { removeDeep } from './remove-deep.ts';

/**
 * `true` if the copy is there, also if it was there before. `false`: there is nothing to copy, it is too large, or the
 * system refuses a part of it, such as a file that we may not read or a path that is too long.
 */
export async function copyFolder(from: string, to: string, bounds: TreeBounds): Promise<boolean> {
  if (existsSync(to)) return true;
  if (!existsSync(from)) return false;
  await ensurePrivateDir(dirname(to));
  const unfinished = `${to}.unfinished`;
  await removeDeep(unfinished); // an owner may have died here
  if (!(await isCopied(from, unfinished, bounds))) {
    await removeDeep(unfinished);
    return false;
  }
  renameSync(unfinished, to);
  return true;
}

/** Codes of Node itself have an underscore: `ERR_INVALID_ARG_TYPE`. */
const SYSTEM_CODE = /^E[A-Z\d]+$/;

async function isCopied(from: string, to: string, bounds: TreeBounds): Promise<boolean> {
  try {
    return (await copyTree(from, to, bounds)) !== undefined;
  } catch (error) {
    if (SYSTEM_CODE.test(errnoCode(error))) return false;
    throw error;
  }
}
