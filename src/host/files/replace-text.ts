/** Changes files that belong to other programs: their mode, their owner's links and their folders stay as they were. */
import { rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from './atomic-files.ts';
import { errnoCode } from './errno.ts';
import { makeFolders } from './make-folders.ts';
import { realPath } from './real-path.ts';

const NEW_FILE = 0o644;

/** Replaces the text of a file, with its mode. A link stays, and its target is replaced. */
export async function replaceText(path: string, text: string): Promise<void> {
  const real = (await realPath(path)) ?? path;
  const found = await stat(real).catch(() => undefined); // a new file
  await makeFolders(dirname(real));
  await writeFileAtomic(real, text, { mode: found === undefined ? NEW_FILE : found.mode & 0o777 });
}

/** The folders that would have to be created, the deepest first. */
export async function missingFolders(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = path; at !== dirname(at) && !(await exists(at)); at = dirname(at)) missing.push(at);
  return missing;
}

/** The deepest first. Stops at the first one that has content. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoCode(error))) return; // others use it
      throw error;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
