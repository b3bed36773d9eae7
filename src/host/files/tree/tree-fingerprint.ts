import { createHash } from 'node:crypto';
import { listTree } from './list-tree.ts';
import { readPaths } from './read-tree.ts';
import type { PathState } from './read-tree.ts';

/** A larger file is known by its size. */
const READ_BYTES_MAX = 1_000_000;

/**
 * The same for the same files with the same content below a folder, and another for others. What tools
 * keep for themselves is left out. Null when there are more than `filesMax`.
 */
export async function treeFingerprint(folder: string, filesMax: number): Promise<string | null> {
  const paths = await listTree(folder, filesMax + 1);
  if (paths.length > filesMax) return null;
  const hash = createHash('sha256');
  await readPaths(folder, paths, READ_BYTES_MAX, async (path, state) => {
    hash.update(`${path}\0${printOf(state)}\0`);
    await Promise.resolve();
  });
  return hash.digest('hex');
}

function printOf(state: PathState): string {
  switch (state.kind) {
    case 'file':
    case 'symlink':
      return createHash('sha256').update(state.content).digest('hex');
    case 'too-large':
      return `${state.bytes}`;
    case 'absent': // it has gone meanwhile
    case 'folder':
    case 'special':
    case 'unreadable':
      return state.kind;
  }
}
