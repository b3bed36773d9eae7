import { createHash } from 'node:crypto';
import { listTree } from './list-tree.ts';
import { readPaths } from './read-tree.ts';
import type { PathState } from './read-tree.ts';

/** A larger file is identified by its size. */
const READ_BYTES_MAX = 1_000_000;

/**
 * A hash of all files and their content below a folder. Folders that tools keep for themselves are left out. Null if
 * there are more than `filesMax` files.
 */
export async function treeFingerprint(folder: string, filesMax: number): Promise<string | null> {
  const paths = await listTree(folder, filesMax + 1);
  if (paths.length > filesMax) return null;
  const hash = createHash('sha256');
  await readPaths(folder, paths, READ_BYTES_MAX, async (path, state) => {
    hash.update(`${path}\0${entryFingerprint(state)}\0`);
    await Promise.resolve();
  });
  return hash.digest('hex');
}

function entryFingerprint(state: PathState): string {
  switch (state.kind) {
    case 'file':
    case 'symlink':
      return createHash('sha256').update(state.content).digest('hex');
    case 'too-large':
      return `${state.bytes}`;
    case 'absent': // it disappeared meanwhile
    case 'folder':
    case 'special':
    case 'unreadable':
      return state.kind;
  }
}
