import { blobId, writeBlob } from '../host/git/git-object.ts';
import type { PathState } from '../host/files/tree/read-tree.ts';
import { readPaths } from '../host/files/tree/read-tree.ts';
import type { Oddity } from './find-files.ts';
import { checkNotCancelled } from './git.ts';
import type { TreeLimits } from './tree-limits.ts';
import { tooLarge } from './tree-limits.ts';
import type { TreeFileEntry, FileTree } from './tree-entries.ts';
import type { ShadowRepo } from './shadow-repo.ts';

export type ImportedTree = { readonly tree: FileTree; readonly oddities: readonly Oddity[] };

/**
 * Reads the files at these paths into the shadow repository, byte for byte. Missing paths are left out. Contents of
 * `known` are not written again. The blobs are durable once `makeDurable` has packed them.
 */
export async function importTree(
  repo: ShadowRepo,
  root: string,
  paths: readonly string[],
  known: FileTree,
  limits: TreeLimits,
): Promise<ImportedTree> {
  const tree = new Map<string, TreeFileEntry>();
  const oddities: Oddity[] = [];
  const storedIds = new Set([...known.values()].map(({ id }) => id));
  let [bytes, done] = [0, 0];
  const total = paths.length;
  await readPaths(root, paths, limits.fileBytesMax, async (path, state) => {
    checkNotCancelled(repo.ports);
    repo.ports.onProgress?.({ stage: 'reading', done: (done += 1), total });
    const odd = classifyOddity(state);
    if (odd !== undefined) oddities.push({ kind: odd, path });
    if (state.kind !== 'file' && state.kind !== 'symlink') return;
    bytes += state.content.length;
    if (bytes > limits.bytesMax)
      throw tooLarge(`The files in ${root} contain more than ${limits.bytesMax} bytes.`);
    const file = toTreeEntry(state);
    if (!storedIds.has(file.id)) {
      storedIds.add(file.id);
      await writeBlob(repo.objectsDir, state.content);
    }
    tree.set(path, file);
  });
  return { tree, oddities };
}

/** The mode and hash of a file, as git computes them. */
export function toTreeEntry(
  state: PathState & { readonly kind: 'file' | 'symlink' },
): TreeFileEntry {
  const mode = state.kind === 'symlink' ? '120000' : state.isExecutable ? '100755' : '100644';
  return { mode, id: blobId(state.content), bytes: state.content.length };
}

function classifyOddity({ kind }: PathState): Oddity['kind'] | undefined {
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
