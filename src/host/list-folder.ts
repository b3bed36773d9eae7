import { readdir } from 'node:fs/promises';

/** The names of the plain files in a folder, in order; none where there is no folder. */
export async function listFolder(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error; // it is there and can't be listed: that is for the caller to say
  }
}
