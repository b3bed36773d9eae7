import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export type UserIds = { readonly uid: number; readonly gid: number };

/** The uid and gid of an existing folder. */
export async function folderOwner(path: string): Promise<UserIds> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}

/** Whether a user with no other group can reach a path, by the modes of the folders above it. */
export function canTraverse(path: string, user: UserIds): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!allows(folder, user, 0o1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether that user may write to the folder or file itself. */
export function canWriteTo(path: string, user: UserIds): boolean {
  return allows(path, user, 0o2);
}

/** Whether we may write there. The kernel decides, because it knows about read-only disks. */
export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // for any reason: nothing can be written there
  }
}

function allows(path: string, { uid, gid }: UserIds, bit: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0;
  return uid === 0 || ((found.mode >> shift) & bit) !== 0;
}
