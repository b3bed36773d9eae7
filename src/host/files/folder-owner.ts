import { stat } from 'node:fs/promises';

/** Whom a folder that exists belongs to, by number. */
export async function folderOwner(
  path: string,
): Promise<{ readonly uid: number; readonly gid: number }> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}
