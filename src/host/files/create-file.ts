import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoCode } from './errno.ts';
import { makeFolders } from './make-folders.ts';

/** Creates a file and its parent folders, unless something already exists at the path. */
export async function createFile(path: string, text: string): Promise<'created' | 'was there'> {
  await makeFolders(dirname(path));
  try {
    await writeFile(path, text, { flag: 'wx' });
    return 'created';
  } catch (error) {
    if (errnoCode(error) === 'EEXIST') return 'was there';
    throw error; // we may not write to the folder
  }
}
