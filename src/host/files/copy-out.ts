import { cp, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from './make-folders.ts';

/** Copies folders of ours into one of the user's. False, and nothing was done, where one of the names is taken. */
export async function copyOut(
  folders: readonly { readonly from: string; readonly name: string }[],
  to: string,
): Promise<boolean> {
  for (const { name } of folders) {
    const taken = await lstat(join(to, name)).catch(() => undefined); // nothing is there
    if (taken !== undefined) return false;
  }
  await makeFolders(to);
  for (const { from, name } of folders)
    await cp(from, join(to, name), { recursive: true, errorOnExist: true, force: false });
  return true;
}
