/** A folder of ours in a place that other users can write to, such as /tmp, where any of them may have been first. */
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { errnoCode } from './errno.ts';
import { makeFolders } from './make-folders.ts';

const PRIVATE = 0o700;
const OTHERS = 0o077;

/** Makes the folder, or makes sure that the one there is ours alone. Refuses any other. */
export async function ensureOwnFolder(path: string): Promise<void> {
  await makeFolders(dirname(path), PRIVATE);
  try {
    await mkdir(path, { mode: PRIVATE });
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
  }
  const why = await whyNotOurs(path);
  if (why !== undefined) throw notPrivate(path, why);
  await chmod(path, PRIVATE); // the umask does not decide; it is ours and no link
}

/** Refuses a folder that another user could have put there or can look into. One that is absent is fine. */
export async function checkOwnFolder(path: string): Promise<void> {
  const why = await whyNotOurs(path);
  if (why !== undefined) throw notPrivate(path, why);
}

async function whyNotOurs(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw error; // not being allowed to look is not the same as nothing
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
    message: `${path} can't be used for sockets, because ${why}.`,
    hint: 'Remove it, or set XDG_RUNTIME_DIR to a folder that only you can enter.',
    details: { path },
  });
}
