/**
 * Creates our folder in a place that other users can write to, such as /tmp, where another user may have created it
 * first.
 */
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { errnoCode } from './errno.ts';
import { makeFolders } from './make-folders.ts';

const PRIVATE = 0o700;
const OTHERS = 0o077;

/** Creates the folder, or verifies that the existing one is ours alone. Refuses any other. */
export async function ensureOwnFolder(path: string): Promise<void> {
  await makeFolders(dirname(path), PRIVATE);
  try {
    await mkdir(path, { mode: PRIVATE });
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
  }
  const why = await findOwnershipProblem(path);
  if (why !== undefined) throw notPrivate(path, why);
  await chmod(path, PRIVATE); // independent of the umask; the folder is ours and not a link
}

/** Refuses a folder that another user could have created or can read. A missing folder is fine. */
export async function checkOwnFolder(path: string): Promise<void> {
  const why = await findOwnershipProblem(path);
  if (why !== undefined) throw notPrivate(path, why);
}

async function findOwnershipProblem(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw error; // a folder that we may not inspect is not a missing one
  });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return 'it is a link';
  if (!found.isDirectory()) return 'it is not a folder';
  const me = process.geteuid?.();
  if (me !== undefined && found.uid !== me) return `it belongs to user ${found.uid}`;
  if ((found.mode & OTHERS) !== 0) return `its mode is ${(found.mode & 0o777).toString(8)}`;
  return undefined;
}

function notPrivate(path: string, why: string): Refusal {
  return new Refusal({
    code: 'home.not-private',
    message: `${path} cannot be used for sockets, because ${why}.`,
    hint: 'Remove it, or set XDG_RUNTIME_DIR to a folder that only you can enter.',
    details: { path },
  });
}
