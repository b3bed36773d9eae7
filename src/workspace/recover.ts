/** What an owner that was killed left behind, put away by the next one. Work is not touched here: see `findStale`. */
import { join } from 'node:path';
import { isHalfWritten } from '../host/files/atomic-files.ts';
import { isHolderFile, isLockHeld, takeLock } from '../host/files/lock-file.ts';
import { removeFile } from '../host/files/read-text-file.ts';
import { isOrphanDir } from '../host/files/scratch-dir.ts';
import { listTreeFolder, readPath } from '../host/files/tree/read-tree.ts';
import { removeTree } from '../host/files/tree/write-tree.ts';
import type { WorkspacePorts } from './workspace.ts';

export type Recovered = {
  /** Paths under our own state that are gone now. */
  readonly unfinished: readonly string[];
  readonly scratch: readonly string[];
  /** Of files that nobody will finish writing, ours and git's in the vault. */
  readonly halves: readonly string[];
};

/**
 * Removes trees of the dead that nobody ever worked in, scratch, and halves of files. To be called by
 * the owner of the home, before anybody works for it. Locks need no care: the kernel released them.
 */
export async function recoverOrphans(home: string, ports: WorkspacePorts): Promise<Recovered> {
  const [unfinished, scratch, halves]: [string[], string[], string[]] = [[], [], []];
  for (const project of await entries(home, 'projects', 'folder')) {
    halves.push(...(await halvesIn(home, project)));
    for (const path of await entries(home, `${project}/scratch`, 'folder'))
      if (isOrphanDir(path)) scratch.push(path);
    for (const run of await entries(home, `${project}/trees`, 'folder'))
      for (const tree of await entries(home, run, 'folder'))
        if (await removeUnfinished(home, tree, ports)) unfinished.push(tree);
  }
  for (const path of scratch) await removeTree(join(home, path));
  for (const path of halves) await removeFile(join(home, path));
  return { unfinished, scratch, halves };
}

/** A tree gets its record when it is whole; one without it is removed unless somebody is making it. */
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

/** In our own folders, not in the trees of agents: what lies there is theirs. */
async function halvesIn(home: string, project: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [project];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const isGits = folder.startsWith(`${project}/vault.git`);
    for (const { name, kind } of (await listTreeFolder(home, folder)) ?? []) {
      const path = `${folder}/${name}`;
      if (kind === 'folder' && name !== 'work') waiting.push(path);
      if (kind !== 'file') continue;
      const isLeftByHolder =
        isHolderFile(name) && !isLockHeld(join(home, path.replace(/\.holder.*$/, '')));
      const isGitsHalf = isGits && (name.endsWith('.lock') || name.startsWith('tmp_'));
      if (isHalfWritten(name) || isLeftByHolder || isGitsHalf) found.push(path);
    }
  }
  return found.toSorted();
}

async function entries(
  home: string,
  folder: string,
  kind: 'file' | 'folder',
): Promise<readonly string[]> {
  const found = (await listTreeFolder(home, folder)) ?? [];
  return found.filter((entry) => entry.kind === kind).map(({ name }) => `${folder}/${name}`);
}
