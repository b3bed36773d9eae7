/** Removes what a killed owner left behind, when the next owner starts. Work is not touched here: see `findStale`. */
import { join } from 'node:path';
import { isHalfWritten } from '../host/files/atomic-files.ts';
import { isHolderFile, isLockHeld, takeLock } from '../host/files/lock-file.ts';
import { removeFile } from '../host/files/read-text-file.ts';
import { isFolderKeeper } from '../host/git/object-folders.ts';
import { isOrphanDir } from '../host/files/scratch-folder.ts';
import { listTreeFolder, readPath } from '../host/files/tree/read-tree.ts';
import { removeTree } from '../host/files/tree/write-tree.ts';
import type { WorkspacePorts } from './workspace.ts';

export type Recovered = {
  /** Paths below our own state that were removed. */
  readonly unfinished: readonly string[];
  readonly scratch: readonly string[];
  /** Partial files that no process will complete, ours and git's in the shadow repository. */
  readonly partials: readonly string[];
};

/**
 * Removes unfinished trees that no agent ever worked in, scratch folders, and partial files. Only the owner of the
 * home may call it, before any run starts. Locks need no cleanup: the kernel has released them.
 */
export async function recoverOrphans(home: string, ports: WorkspacePorts): Promise<Recovered> {
  const [unfinished, scratch, partials]: [string[], string[], string[]] = [[], [], []];
  for (const project of await listEntries(home, 'projects', 'folder')) {
    partials.push(...(await findPartialFiles(home, project)));
    for (const path of await listEntries(home, `${project}/scratch`, 'folder'))
      if (isOrphanDir(path)) scratch.push(path);
    for (const run of await listEntries(home, `${project}/trees`, 'folder'))
      for (const tree of await listEntries(home, run, 'folder'))
        if (await removeUnfinished(home, tree, ports)) unfinished.push(tree);
  }
  for (const path of scratch) await removeTree(join(home, path));
  for (const path of partials) await removeFile(join(home, path));
  return { unfinished, scratch, partials };
}

/** A tree gets its record when it is complete. One without a record is removed unless a process is creating it. */
async function removeUnfinished(
  home: string,
  tree: string,
  { clock }: WorkspacePorts,
): Promise<boolean> {
  const { kind } = await readPath(home, `${tree}/record.json`, 0);
  if (kind !== 'absent') return false;
  const lock = await takeLock(join(home, `${tree}.lock`), { clock, purpose: 'recovery' });
  if (lock.kind === 'held') return false;
  try {
    await removeTree(join(home, tree));
    return true;
  } finally {
    lock.release();
  }
}

/** Searches our own folders only. The files in the trees of agents belong to the work. */
async function findPartialFiles(home: string, project: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [project];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const isGitDir = folder.startsWith(`${project}/vault.git`);
    for (const { name, kind } of (await listTreeFolder(home, folder)) ?? []) {
      const path = `${folder}/${name}`;
      if (kind === 'folder' && name !== 'work') waiting.push(path);
      if (kind !== 'file') continue;
      const isOrphanedHolder =
        isHolderFile(name) && !isLockHeld(join(home, path.replace(/\.holder.*$/, '')));
      const isPartialGitFile =
        isGitDir && (name.endsWith('.lock') || (name.startsWith('tmp_') && !isFolderKeeper(name)));
      if (isHalfWritten(name) || isOrphanedHolder || isPartialGitFile) found.push(path);
    }
  }
  return found.toSorted();
}

async function listEntries(
  home: string,
  folder: string,
  kind: 'file' | 'folder',
): Promise<readonly string[]> {
  const found = (await listTreeFolder(home, folder)) ?? [];
  return found.filter((entry) => entry.kind === kind).map(({ name }) => `${folder}/${name}`);
}
