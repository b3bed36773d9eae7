/**
 * Groups of processes that the kernel limits together. Version 1 has one tree per controller, version 2 has one for
 * all. New groups are created below our own, so that our limits apply to them too.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CgroupLimits } from './cgroup-settings.ts';
import { hasLimitFor, cgroupSettings } from './cgroup-settings.ts';
import { isOrphan } from '../files/process-scoped-name.ts';

export type CgroupParents =
  | { readonly kind: 'none'; readonly why: string }
  | {
      readonly kind: 'v1';
      readonly parents: Readonly<Partial<Record<'memory' | 'pids' | 'cpu', string>>>;
    }
  | { readonly kind: 'v2'; readonly parent: string };

type CgroupCounters = {
  /** How many processes the kernel killed because memory ran out. */
  readonly oomKills: number;
  /** How many forks failed because the process limit was reached. */
  readonly forksRefused: number;
};

export type Cgroup = AsyncDisposable & {
  /** Files to which a process writes its pid to join the group. */
  readonly joins: readonly string[];
  readonly limited: readonly ('memory' | 'pids' | 'cpus')[];
  counters(): Promise<CgroupCounters>;
};

const ROOT = '/sys/fs/cgroup';
const REMOVE_TRIES_MAX = 200;
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;

/** Where this user can create groups on this machine. Creates none. */
export function findCgroups(root = ROOT, ownFile = '/proc/self/cgroup'): CgroupParents {
  const own = ownGroups(ownFile);
  if (own === undefined) return { kind: 'none', why: 'there are no control groups here' };
  if (canRead(join(root, 'cgroup.controllers'))) return findV2(root, own.get('') ?? '/');
  const parents = Object.fromEntries(
    CONTROLLERS.flatMap((controller) => {
      const parent = [
        join(root, controller, own.get(controller) ?? '/'),
        join(root, controller),
      ].find((path) => canWrite(join(path, 'cgroup.procs')));
      return parent === undefined ? [] : [[controller, parent]];
    }),
  );
  return Object.keys(parents).length === 0
    ? { kind: 'none', why: 'only root may limit groups of processes here' }
    : { kind: 'v1', parents };
}

/** A group with its own processes cannot have limited groups below it, so a parent may be needed. */
function findV2(root: string, own: string): CgroupParents {
  for (let path = own; ; path = dirname(path)) {
    const folder = join(root, path);
    const given = readOr(join(folder, 'cgroup.subtree_control')).split(/\s+/);
    const isFit = CONTROLLERS.every((controller) => given.includes(controller));
    if (isFit && canWrite(folder) && canWrite(join(folder, 'cgroup.procs')))
      return { kind: 'v2', parent: folder };
    if (path === '/' || path === '.') break;
  }
  return { kind: 'none', why: 'no group of processes with limits was delegated to this user' };
}

/** Creates a group with these limits. It is removed, empty, when disposed. */
export async function makeCgroup(
  name: string,
  limits: CgroupLimits,
  where: Exclude<CgroupParents, { kind: 'none' }>,
): Promise<Cgroup> {
  const groups = groupFolders(name, limits, where);
  const made: string[] = [];
  const remove = async (): Promise<void> => {
    for (const folder of made) await removeGroup(folder);
  };
  try {
    for (const folder of groups.values()) {
      await mkdir(folder);
      made.push(folder);
    }
    for (const [controller, folder] of groups) {
      for (const [file, value] of cgroupSettings(controller, limits)) {
        await writeFile(join(folder, file), value).catch(orIfOptional(file));
      }
    }
  } catch (error) {
    await remove();
    throw error; // a limit that cannot be set is not a limit
  }
  return {
    joins: [...groups.values()].map((folder) => join(folder, 'cgroup.procs')),
    limited: enforcedLimits(where.kind === 'v2' ? CONTROLLERS : [...groups.keys()], limits),
    counters: () => readCounters(groups),
    [Symbol.asyncDispose]: remove,
  };
}

function groupFolders(
  name: string,
  limits: CgroupLimits,
  where: Exclude<CgroupParents, { kind: 'none' }>,
): ReadonlyMap<string, string> {
  if (where.kind === 'v2') return new Map([['v2', join(where.parent, name)]]);
  return new Map(
    Object.entries(where.parents)
      .filter(([controller]) => hasLimitFor(controller, limits))
      .map(([controller, parent]) => [controller, join(parent, name)]),
  );
}

/** A group that a program creates for itself: the folders, and the values to write into their files. */
export type CgroupPlan = {
  readonly folders: readonly string[];
  readonly writes: readonly (readonly [file: string, value: string])[];
};

export function planCgroup(name: string, limits: CgroupLimits, where: CgroupParents): CgroupPlan {
  if (where.kind === 'none') return { folders: [], writes: [] };
  const groups = [...groupFolders(name, limits, where)];
  return {
    folders: groups.map(([, folder]) => folder),
    writes: groups.flatMap(([controller, folder]) =>
      cgroupSettings(controller, limits).map(
        ([file, value]) => [join(folder, file), value] as const,
      ),
    ),
  };
}

/** Removes a group after its processes have ended. */
export async function removeCgroup({ folders }: Pick<CgroupPlan, 'folders'>): Promise<void> {
  for (const folder of folders) await removeGroup(folder);
}

function enforcedLimits(
  controllers: readonly string[],
  limits: CgroupLimits,
): readonly ('memory' | 'pids' | 'cpus')[] {
  return (['memory', 'pids', 'cpus'] as const).filter(
    (limit) =>
      controllers.includes(limit === 'cpus' ? 'cpu' : limit) &&
      hasLimitFor(limit === 'cpus' ? 'cpu' : limit, limits),
  );
}

/** Kernels without swap accounting lack these files, and without swap they are not needed. */
function orIfOptional(file: string): (error: unknown) => void {
  return (error) => {
    const isOptional = /swap|memsw/.test(file);
    if (isOptional && error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  };
}

async function readCounters(groups: ReadonlyMap<string, string>): Promise<CgroupCounters> {
  const count = async (controllers: readonly string[], file: string, key: string) => {
    for (const controller of controllers) {
      const folder = groups.get(controller);
      if (folder === undefined) continue;
      const text = await readFile(join(folder, file), 'utf8').catch(() => ''); // not in this version
      const [, value] = new RegExp(`^${key} (\\d+)$`, 'm').exec(text) ?? [];
      if (value !== undefined) return Number(value);
    }
    return 0;
  };
  return {
    oomKills:
      (await count(['memory'], 'memory.oom_control', 'oom_kill')) +
      (await count(['v2'], 'memory.events', 'oom_kill')),
    forksRefused: await count(['pids', 'v2'], 'pids.events', 'max'),
  };
}

/** The kernel releases the last process a moment after its death. Processes that are still alive are killed. */
async function removeGroup(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES_MAX; tries += 1) {
    const error = await rmdir(folder).then(
      () => undefined,
      (thrown: NodeJS.ErrnoException) => thrown,
    );
    if (error === undefined || error.code === 'ENOENT') return;
    if (error.code !== 'EBUSY') throw error;
    if (tries > 2) await killMembers(folder);
    await new Promise((resolve) => setTimeout(resolve, Math.min(2 ** tries, 50)));
  }
}

async function killMembers(folder: string): Promise<void> {
  const pids = (await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')).split('\n');
  for (const pid of pids.filter((line) => line !== '').map(Number)) {
    try {
      if (pid > 1 && pid !== process.pid) process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended by itself (ESRCH)
    }
  }
}

/**
 * Removes the groups with this prefix whose creators no longer exist. Processes that are still alive in them are
 * killed.
 */
export async function sweepCgroups(prefix: string, where: CgroupParents): Promise<number> {
  if (where.kind === 'none') return 0;
  const parents = where.kind === 'v2' ? [where.parent] : Object.values(where.parents);
  let swept = 0;
  for (const parent of parents) {
    for (const name of await readdir(parent).catch(() => [] as string[])) {
      if (!isOrphan(name, prefix)) continue;
      await removeGroup(join(parent, name));
      swept += 1;
    }
  }
  return swept;
}

function ownGroups(file: string): ReadonlyMap<string, string> | undefined {
  const lines = readOr(file)
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 0) return undefined;
  return new Map(
    lines.flatMap((line) => {
      const [, controllers = '', ...path] = line.split(':');
      return controllers.split(',').map((controller) => [controller, path.join(':')] as const);
    }),
  );
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // missing or unreadable: no group can be created there
  }
}

function canRead(path: string): boolean {
  return can(path, constants.R_OK);
}

function canWrite(path: string): boolean {
  return can(path, constants.W_OK);
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false; // for any reason: we cannot use it
  }
}
