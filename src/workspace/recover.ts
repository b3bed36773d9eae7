/** What an owner that was killed left behind, put away by the next one. Work is not touched here: see `findStale`. */
import { join } from 'node:path';
import { isHalfWritten } from '../host/files.ts';
import { holderOf, isLockInPassing } from '../host/lock-file.ts';
import { isAlive } from '../host/process-table.ts';
import { removeFile } from '../host/read-text-file.ts';
import { isOfTheDead } from '../host/scratch-dir.ts';
import { listFolder, readPath } from '../host/tree-read.ts';
import { removeTree } from '../host/tree-write.ts';
import { DEAD_OWNER_GRACE_MS } from './make.ts';
import type { WorkspacePorts } from './workspace.ts';

export type Recovered = {
  /** Paths under our own state that are gone now. */
  readonly locks: readonly string[];
  readonly unfinished: readonly string[];
  readonly scratch: readonly string[];
  /** Of files that nobody will finish writing, ours and git's in the vault. */
  readonly halves: readonly string[];
};

/**
 * Removes locks of the dead that are older than the grace, trees of theirs that nobody ever worked in,
 * scratch, and halves of files. To be called by the owner of the home, before anybody works for it.
 */
export async function recoverFromTheDead(home: string, ports: WorkspacePorts): Promise<Recovered> {
  const [locks, unfinished, scratch]: [string[], string[], string[]] = [[], [], []];
  const halves: string[] = [];
  for (const project of await entries(home, 'projects', 'folder')) {
    halves.push(...(await halvesIn(home, project)));
    for (const path of await entries(home, `${project}/scratch`, 'folder'))
      if (isOfTheDead(path)) scratch.push(path);
    const runs = await entries(home, `${project}/trees`, 'folder');
    for (const folder of [project, ...runs])
      for (const path of await entries(home, folder, 'file')) {
        if (!path.endsWith('.lock') || !(await isStale(join(home, path), ports))) continue;
        locks.push(path);
        const tree = path.slice(0, -'.lock'.length);
        const { kind } = await readPath(home, `${tree}/record.json`, 0);
        if (folder !== project && kind === 'absent') unfinished.push(tree);
      }
  }
  for (const path of [...unfinished, ...scratch]) await removeTree(join(home, path));
  for (const path of [...locks, ...halves]) await removeFile(join(home, path));
  return { locks, unfinished, scratch, halves };
}

/** In our own folders, not in the trees of agents: what lies there is theirs. */
async function halvesIn(home: string, project: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [project];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const isGits = folder.startsWith(`${project}/vault.git`);
    for (const { name, kind } of (await listFolder(home, folder)) ?? []) {
      const path = `${folder}/${name}`;
      if (kind === 'folder' && name !== 'work') waiting.push(path);
      if (kind !== 'file') continue;
      const isGitsHalf = isGits && (name.endsWith('.lock') || name.startsWith('tmp_'));
      if (isHalfWritten(name) || isLockInPassing(name) || isGitsHalf) found.push(path);
    }
  }
  return found.toSorted();
}

async function isStale(lock: string, { clock }: WorkspacePorts): Promise<boolean> {
  const holder = await holderOf(lock);
  if (holder === undefined || isAlive(holder)) return false;
  return clock.now() - holder.since >= DEAD_OWNER_GRACE_MS;
}

async function entries(
  home: string,
  folder: string,
  kind: 'file' | 'folder',
): Promise<readonly string[]> {
  const found = (await listFolder(home, folder)) ?? [];
  return found.filter((entry) => entry.kind === kind).map(({ name }) => `${folder}/${name}`);
}
