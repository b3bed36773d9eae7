import { randomBytes } from 'node:crypto';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoCode, withPath } from './errno.ts';
import { makeFolders } from './make-folders.ts';

/** Unless a mode is given, only our user can read what we write. */
const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;

type WriteOptions = { readonly mode?: number; readonly durable?: boolean };

/**
 * Replaces a file so that every reader, also after a power loss, sees the complete old or new text. Resolves once it
 * is on the disk. Without `durable`, a power loss may leave neither, and readers have to cope with that.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode = PRIVATE_FILE, durable = true }: WriteOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    await using file = await open(temporary, 'wx', mode);
    await file.chmod(mode); // independent of the umask
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

/** Whether a file with this name is an unfinished write of `writeFileAtomic`. */
export function isHalfWritten(name: string): boolean {
  return /^\.[0-9a-f]{16}\.tmp$/.test(name);
}

/** Creates a folder and its parents so that only our user can enter it. Closes one that was open to others. */
export async function ensurePrivateDir(path: string): Promise<void> {
  await makeFolders(path, PRIVATE_DIR);
  await chmod(path, PRIVATE_DIR);
}

/** Renames a file or folder to a name beside it, to make room for a new one. Does nothing if it does not exist. */
export async function moveFileAside(path: string, mark: string): Promise<void> {
  try {
    await rename(path, `${path}.${mark}`);
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
  }
}
