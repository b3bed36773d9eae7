import { chown } from 'node:fs/promises';
import { makeFolders } from './make-folders.ts';
import type { UserIds } from './path-access.ts';

/** Makes a folder that is not there yet, for that user alone; root gives it away, others can only be themselves. */
export async function ensureOwnedFolder(path: string, { uid, gid }: UserIds): Promise<void> {
  const made = await makeFolders(path, 0o700);
  if (made !== undefined && process.geteuid?.() === 0) await chown(path, uid, gid);
}
