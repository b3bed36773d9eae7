import { blobId, writeBlob } from '../host/git/git-object.ts';
import type { PathState } from '../host/files/tree/read-tree.ts';
import { readPaths } from '../host/files/tree/read-tree.ts';
import type { Oddity } from './find-files.ts';
import { checkNotCalledOff } from './git.ts';
import type { TreeLimits } from './tree-limits.ts';
import { tooLarge } from './tree-limits.ts';
import type { TreeFileEntry, FileTree } from './tree-entries.ts';
import type { ShadowRepo } from './shadow-repo.ts';

export type ImportedTree = { readonly tree: FileTree; readonly oddities: readonly Oddity[] };

/**
 * Reads the files at these paths into the vault, byte by byte as they lie on the disk. Paths that hold
 * nothing are left out. What `known` has already is not written again. Durable once `pack` has it.
 */
export async function importTree(
  vault: ShadowRepo,
  root: string,
  paths: readonly string[],
  known: FileTree,
  limits: TreeLimits,
): Promise<ImportedTree> {
  const tree = new Map<string, TreeFileEntry>();
  const oddities: Oddity[] = [];
  const there = new Set([...known.values()].map(({ id }) => id));
  let bytes = 0;
  await readPaths(root, paths, limits.fileBytesMax, async (path, state) => {
    checkNotCalledOff(vault.ports);
    const odd = oddityOf(state);
    if (odd !== undefined) oddities.push({ kind: odd, path });
    if (state.kind !== 'file' && state.kind !== 'symlink') return;
    bytes += state.content.length;
    if (bytes > limits.bytesMax)
      throw tooLarge(`The files in ${root} hold more than ${limits.bytesMax} bytes.`);
    const file = treeFileOf(state);
    if (!there.has(file.id)) {
      there.add(file.id);
      await writeBlob(vault.objectsDir, state.content);
    }
    tree.set(path, file);
  });
  return { tree, oddities };
}

/** A file's mode and hash, as git has them. */
export function treeFileOf(
  state: PathState & { readonly kind: 'file' | 'symlink' },
): TreeFileEntry {
  const mode = state.kind === 'symlink' ? '120000' : state.isExecutable ? '100755' : '100644';
  return { mode, id: blobId(state.content), bytes: state.content.length };
}

function oddityOf({ kind }: PathState): Oddity['kind'] | undefined {
  switch (kind) {
    case 'too-large':
      return 'too-large';
    case 'unreadable':
      return 'unreadable';
    case 'special':
      return 'special-file';
    case 'absent':
    case 'folder':
    case 'file':
    case 'symlink':
      return undefined;
  }
}
