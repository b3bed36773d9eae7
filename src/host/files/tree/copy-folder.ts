/** Copies a folder as a whole: after a crash, the copy is complete or not there. */
import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../atomic-files.ts';
import type { TreeBounds } from './copy-tree.ts';
import { copyTree } from './copy-tree.ts';
import { removeDeep } from './remove-deep.ts';

/** `true` if the copy is there, also if it was there before. `false`: there is nothing to copy, or it is too large. */
export async function copyFolder(from: string, to: string, bounds: TreeBounds): Promise<boolean> {
  if (existsSync(to)) return true;
  if (!existsSync(from)) return false;
  await ensurePrivateDir(dirname(to));
  const unfinished = `${to}.unfinished`;
  await removeDeep(unfinished); // an owner may have died here
  if ((await copyTree(from, unfinished, bounds)) === undefined) {
    await removeDeep(unfinished);
    return false;
  }
  renameSync(unfinished, to);
  return true;
}
