import { chown } from 'node:fs/promises';
import { makeFolders } from './make-folders.ts';
import type { UserIds } from './path-access.ts';

/**
 * Creates a missing folder that only this user can enter. Root changes its owner; an ordinary user can only own it
 * themselves.
 */
export async function ensureOwnedFolder(path: string, { uid, gid }: UserIds): Promise<void> {
  const made = await makeFolders(path, 0o700);
  if (made !== undefined && process.geteuid?.() === 0) await chown(path, uid, gid);
}
