/**
 * Opens a folder inside a root that another process may rearrange meanwhile. Every step is taken from an open folder
 * and never through a symlink, so the result is always inside the root.
 */
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoCode } from '../errno.ts';

/** Only Linux can name an entry relative to an open folder. Elsewhere the path is checked twice. */
const HAS_FD_PATHS = existsSync('/proc/self/fd');
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A path for an entry of the folder, valid while the folder is in use. */
export type EntryPath = (name: string) => string;

/**
 * Undefined if there is no such folder, or if a symlink or a file is in the way. `folder` is relative to the root,
 * `''` for the root itself.
 */
export async function openBeneath<Value>(
  root: string,
  folder: string,
  use: (at: EntryPath) => Promise<Value>,
): Promise<Value | undefined> {
  const steps = folder === '' ? [] : folder.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return undefined;
  return HAS_FD_PATHS ? throughHandles(root, steps, use) : throughNames(root, steps, use);
}

async function throughHandles<Value>(
  root: string,
  steps: readonly string[],
  use: (at: EntryPath) => Promise<Value>,
): Promise<Value | undefined> {
  let fd = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const step of steps) {
      const next = openBelow(fd, step);
      if (next === undefined) return undefined;
      closeSync(fd);
      fd = next;
    }
    const folder = fd;
    return await use((name) => `/proc/self/fd/${folder}/${name}`);
  } finally {
    closeSync(fd);
  }
}

function openBelow(fd: number, step: string): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}/${step}`, FOLDER);
  } catch (error) {
    return ignoreMissing(error);
  }
}

async function throughNames<Value>(
  root: string,
  steps: readonly string[],
  use: (at: EntryPath) => Promise<Value>,
): Promise<Value | undefined> {
  const path = join(await realpath(root), ...steps);
  const isItself = async (): Promise<boolean> =>
    (await realpath(path).catch(ignoreMissing)) === path;
  if (!(await isItself())) return undefined;
  const value = await use((name) => join(path, name));
  return (await isItself()) ? value : undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoCode(error))) return undefined;
  throw error; // it may exist: a missing permission is not a missing folder
}
