import { statSync } from 'node:fs';
import { dirname } from 'node:path';

export type UserNumber = { readonly uid: number; readonly gid: number };

/** Whether a user with no group but its own can get to a path, by the modes of what is above it. */
export function canReach(path: string, user: UserNumber): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!allows(folder, user, 0o1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether that user may write to the folder or file itself. */
export function canWriteTo(path: string, user: UserNumber): boolean {
  return allows(path, user, 0o2);
}

function allows(path: string, { uid, gid }: UserNumber, bit: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0;
  return uid === 0 || ((found.mode >> shift) & bit) !== 0;
}
