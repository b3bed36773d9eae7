import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoCode } from './errno.ts';

/** The sorted names of the plain files in a folder. Empty if the folder does not exist. */
export async function listFolder(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error))) return [];
    throw error; // it exists and cannot be listed: the caller reports that
  }
}

/** The plain files in a folder with their size and time. Empty if the folder does not exist. */
export async function listFiles(
  path: string,
): Promise<
  readonly { readonly name: string; readonly bytes: number; readonly writtenMs: number }[]
> {
  const seen = (await listFolder(path)).map(async (name) => {
    const stats = await stat(join(path, name)).catch(() => undefined); // it no longer exists
    return stats === undefined ? [] : [{ name, bytes: stats.size, writtenMs: stats.mtimeMs }];
  });
  return (await Promise.all(seen)).flat();
}

/** The folders in a folder and when each was last written to. Empty if the folder does not exist. */
export async function listFolders(
  path: string,
): Promise<readonly { readonly name: string; readonly writtenMs: number }[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const seen = folders.map(async (name) => {
    const stats = await stat(join(path, name)).catch(() => undefined); // it no longer exists
    return stats === undefined ? [] : [{ name, writtenMs: stats.mtimeMs }];
  });
  return (await Promise.all(seen)).flat();
}
