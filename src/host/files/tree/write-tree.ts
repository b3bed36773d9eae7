/**
 * Changes a tree that its user may be editing. Nothing is ever overwritten: the file at a path is moved aside as a
 * whole, and a new file is placed only at a free path.
 */
import { constants } from 'node:fs';
import { chmod, chown, copyFile, link, lstat, mkdir, open } from 'node:fs/promises';
import { readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoCode, withPath } from '../errno.ts';
import { removeDeep } from './remove-deep.ts';
import { openBeneath } from './open-beneath.ts';

export type NewFile = {
  readonly kind: 'file' | 'symlink';
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
};

/** Creates a folder inside the root, one step at a time. False if something else is in the way. */
export async function makeFolder(root: string, folder: string): Promise<boolean> {
  const steps = folder === '' ? [] : folder.split('/');
  for (const [index, step] of steps.entries()) {
    const made = await openBeneath(root, steps.slice(0, index).join('/'), async (at) => {
      await mkdir(at(step)).catch(ignoring('EEXIST'));
      return true;
    });
    if (made !== true) return false;
  }
  return (await openBeneath(root, folder, () => Promise.resolve(true))) === true;
}

/** Writes one of our files to the disk, completely and durably, for `placeFile`. */
export async function stageFile(
  path: string,
  { kind, content, isExecutable }: NewFile,
): Promise<void> {
  await rm(path, { force: true });
  if (kind === 'symlink') return symlink(Buffer.from(content), path);
  await using file = await open(path, 'wx', isExecutable ? 0o777 : 0o666); // the umask decides the rest
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Moves the entry at a path to `aside`, a path on the same disk. False if there is none. */
export async function moveEntryAside(root: string, path: string, aside: string): Promise<boolean> {
  const [folder, name] = splitPath(path);
  const moved = await openBeneath(root, folder, async (at) => {
    await rename(at(name), aside);
    return true;
  }).catch(ignoring('ENOENT'));
  return moved === true;
}

/** Moves an entry to another path of the same tree. False if it, or a parent folder, does not exist. */
export async function moveInside(root: string, from: string, to: string): Promise<boolean> {
  const [[above, name], [folder, newName]] = [splitPath(from), splitPath(to)];
  const moved = await openBeneath(root, above, (at) =>
    openBeneath(root, folder, async (there) => {
      await rename(at(name), there(newName));
      return true;
    }),
  ).catch(ignoring('ENOENT'));
  return moved === true;
}

/** Places a staged file, or one that was moved aside, at a path. False if the path is taken or cannot be reached. */
export async function placeFile(from: string, root: string, path: string): Promise<boolean> {
  const [folder, name] = splitPath(path);
  if (!(await makeFolder(root, folder))) return false;
  const placed = await openBeneath(root, folder, async (at) => {
    try {
      await linkOrCopy(from, at(name));
      return true;
    } catch (error) {
      if (errnoCode(error) === 'EEXIST') return false;
      throw error; // a full disk is not a taken path
    }
  });
  if (placed !== true) return false;
  await rm(from, { force: true });
  return true;
}

/**
 * Gives a staged file the permissions and owner of the file it will replace. If there is none, it gets these
 * permissions, and the owner of its future folder.
 */
export async function copyMode(
  staged: string,
  model: string,
  isExecutable: boolean,
  permissions?: number,
): Promise<void> {
  const [stagedStat, modelStat] = [await lstat(staged), await lstat(model).catch(() => undefined)];
  if (stagedStat.isSymbolicLink()) return;
  if (modelStat?.isFile() === true) {
    const readers = (modelStat.mode & 0o444) >> 2;
    await chmod(staged, isExecutable ? (modelStat.mode | readers) & 0o777 : modelStat.mode & 0o666);
  } else if (permissions !== undefined) {
    await chmod(staged, permissions & 0o777);
  }
  const owner = modelStat ?? (await nearestAbove(model));
  if (process.geteuid?.() === 0 && owner !== undefined) await chown(staged, owner.uid, owner.gid);
}

/** Removes a folder if it is empty. False if it is not, or can't be removed. */
export async function removeEmptyFolder(root: string, folder: string): Promise<boolean> {
  const [above, name] = splitPath(folder);
  const removed = await openBeneath(root, above, async (at) => {
    await rmdir(at(name));
    return true;
  }).catch(ignoring('ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY', 'EACCES'));
  return removed === true;
}

/** Removes a folder and its parents, as long as they are empty. */
export async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; path !== ''; path = splitPath(path)[0])
    if (!(await removeEmptyFolder(root, path))) return;
}

/** Removes a plain file or a link, if there is one. A folder at the path stays. */
export async function removeInside(root: string, path: string): Promise<void> {
  const [folder, name] = splitPath(path);
  await openBeneath(root, folder, (at) => unlink(at(name))).catch(
    ignoring('ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'),
  );
}

/**
 * Removes one of our trees, even if its folders were closed, are too deep for a path or have names that are not text.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const recoverable = ['EACCES', 'EPERM', 'ENOTEMPTY', 'ENAMETOOLONG', 'ENOENT'];
    if (!recoverable.includes(errnoCode(error))) throw error; // a failing disk cannot be worked around
    await removeDeep(path);
  }
}

/** Links or copies the entry to a path that must be free. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  const what = await lstat(from);
  if (what.isSymbolicLink()) return symlink(await readlink(from, { encoding: 'buffer' }), to);
  if (what.isDirectory()) return rename(from, to); // a user put a folder in the place of a file
  try {
    await link(from, to);
  } catch (error) {
    // file systems without hard links, and files of other users that may not be linked
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(errnoCode(error)))
      throw error; // mainly `EEXIST`
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

async function nearestAbove(path: string): Promise<{ uid: number; gid: number } | undefined> {
  const above = dirname(path);
  const found = await lstat(above).catch(() => undefined);
  return found ?? (above === path ? undefined : nearestAbove(above));
}

function splitPath(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)];
}

function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (codes.includes(errnoCode(error))) return undefined;
    throw error; // any other error goes to the caller
  };
}
