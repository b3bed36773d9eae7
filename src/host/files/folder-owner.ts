import { stat } from 'node:fs/promises';

/** The uid and gid of an existing folder. */
export async function folderOwner(
  path: string,
): Promise<{ readonly uid: number; readonly gid: number }> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}
