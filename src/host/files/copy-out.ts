import { cp, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from './make-folders.ts';

/** Copies our folders into one of the user's. Returns false and copies nothing if one of the names is taken. */
export async function copyOut(
  folders: readonly { readonly from: string; readonly name: string }[],
  to: string,
): Promise<boolean> {
  for (const { name } of folders) {
    const taken = await lstat(join(to, name)).catch(() => undefined); // nothing exists there
    if (taken !== undefined) return false;
  }
  await makeFolders(to);
  for (const { from, name } of folders)
    await cp(from, join(to, name), { recursive: true, errorOnExist: true, force: false });
  return true;
}
