import { blobId, writeBlob } from '../host/git-object.ts';
import type { PathState } from '../host/tree-read.ts';
import { readPaths } from '../host/tree-read.ts';
import { join } from 'node:path';
import type { Oddity } from './find-files.ts';
import type { TreeLimits } from './limits.ts';
import { tooLarge } from './limits.ts';
import type { File, Tree } from './tree.ts';
import type { Vault } from './vault.ts';
import { git } from './vault.ts';

export type TakenIn = { readonly tree: Tree; readonly oddities: readonly Oddity[] };

/** So many new blobs are made durable one by one; more are packed, which git makes durable at once. */
const LOOSE_MAX = 256;

/**
 * Reads the files at these paths into the vault, byte by byte as they lie on the disk. Paths that hold
 * nothing are left out. What `known` has already is not written again.
 */
export async function takeIn(
  vault: Vault,
  root: string,
  paths: readonly string[],
  known: Tree,
  limits: TreeLimits,
): Promise<TakenIn> {
  const tree = new Map<string, File>();
  const oddities: Oddity[] = [];
  const there = new Set([...known.values()].map(({ id }) => id));
  const written: string[] = [];
  let bytes = 0;
  await readPaths(root, paths, limits.fileBytesMax, async (path, state) => {
    const odd = oddityOf(state);
    if (odd !== undefined) oddities.push({ kind: odd, path });
    if (state.kind !== 'file' && state.kind !== 'symlink') return;
    bytes += state.content.length;
    if (bytes > limits.bytesMax)
      throw tooLarge(`The files in ${root} hold more than ${limits.bytesMax} bytes.`);
    const file = fileOf(state);
    if (!there.has(file.id)) {
      there.add(file.id);
      written.push(file.id);
      await writeBlob(vault.objectsDir, state.content, { sync: written.length <= LOOSE_MAX });
    }
    tree.set(path, file);
  });
  if (written.length > LOOSE_MAX) await pack(vault, written);
  return { tree, oddities };
}

/** A file's mode and hash, as git has them. */
export function fileOf(state: PathState & { readonly kind: 'file' | 'symlink' }): File {
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

async function pack(vault: Vault, ids: readonly string[]): Promise<void> {
  const stdin = ids.map((id) => `${id}\n`).join('');
  const name = join(vault.objectsDir, 'pack', 'pack');
  await git(vault, ['pack-objects', '--quiet', '--window=0', name], { stdin });
  await git(vault, ['prune-packed', '--quiet']);
}
