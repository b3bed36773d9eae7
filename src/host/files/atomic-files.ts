import { randomBytes } from 'node:crypto';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoCode, withPath } from './errno.ts';
import { makeFolders } from './make-folders.ts';

/** Unless told otherwise, what we write is for our user alone. */
const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;

type FileWish = { readonly mode?: number; readonly durable?: boolean };

/**
 * Replaces a file so that every reader, also after power loss, sees the old text or the new one
 * whole. Resolves once it is on the disk. Not `durable`: a power loss may leave neither, which whoever
 * reads it has to bear.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode = PRIVATE_FILE, durable = true }: FileWish = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    await using file = await open(temporary, 'wx', mode);
    await file.chmod(mode); // the umask does not decide
    await file.writeFile(data);
    if (durable) await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw withPath(error, path);
  }
  if (!durable) return;
  await using directory = await open(folder, 'r');
  await directory.sync(); // the new name is durable only with its folder
}

/** Whether a file of this name was being written by `writeFileAtomic`. */
export function isHalfWritten(name: string): boolean {
  return /^\.[0-9a-f]{16}\.tmp$/.test(name);
}

/** Makes a folder, and those above it, that only our user can enter; closes one that was open to others. */
export async function ensurePrivateDir(path: string): Promise<void> {
  await makeFolders(path, PRIVATE_DIR);
  await chmod(path, PRIVATE_DIR);
}

/** Gives a file or folder another name beside its own, so that there can be a new one. Nothing there: nothing done. */
export async function moveFileAside(path: string, mark: string): Promise<void> {
  try {
    await rename(path, `${path}.${mark}`);
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
  }
}
