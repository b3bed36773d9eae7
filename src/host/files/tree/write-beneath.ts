/** Writes files into a tree of which others may have made a part, such as a repository. No link leads a write out of it. */
import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../atomic-files.ts';
import { errnoCode } from '../errno.ts';
import { openBeneath } from './open-beneath.ts';
import { makeFolder } from './write-tree.ts';

/** As an editor creates it: the files of a tree are no secret. */
const FILE_MODE = 0o644;

export type FileBeneath = {
  /** Relative to the root. */
  readonly path: string;
  readonly text: string;
  /** Replace a file that is there. */
  readonly replaces: boolean;
};

/** `blocked`: a link, or something else that is no plain file or folder, is at the path or above it. */
export async function writeBeneath(
  root: string,
  { path, text, replaces }: FileBeneath,
): Promise<'created' | 'replaced' | 'kept' | 'blocked'> {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const folder = steps.join('/');
  try {
    if (!(await makeFolder(root, folder))) return 'blocked';
    const done = await openBeneath(root, folder, async (at) => {
      if (await createNew(at(name), text)) return 'created';
      if (!(await lstat(at(name))).isFile()) return 'blocked';
      if (!replaces) return 'kept';
      // The rename replaces the entry itself. So a link that appears now is replaced and not followed.
      await writeFileAtomic(at(name), text, { mode: FILE_MODE });
      return 'replaced';
    });
    return done ?? 'blocked';
  } catch (error) {
    // The path of an open folder tells a person nothing.
    throw error instanceof Error ? Object.assign(error, { path: join(root, path) }) : error;
  }
}

/** The first entry on the way to a path that is a link, or no plain file or folder. Undefined if the way is free. */
export async function findObstacle(root: string, path: string): Promise<string | undefined> {
  const steps = path.split('/');
  for (const length of steps.keys()) {
    const part = steps.slice(0, length + 1).join('/');
    const found = await lstat(join(root, part)).catch(ignoreMissing);
    if (found === undefined) return undefined;
    const isLast = length === steps.length - 1;
    if (!(isLast ? found.isFile() : found.isDirectory())) return part;
  }
  return undefined;
}

/** False if something is at the path, even a link that leads nowhere. */
async function createNew(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errnoCode(error) === 'EEXIST') return false;
    throw error; // we may not write to the folder
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errnoCode(error) === 'ENOENT') return undefined;
  throw error; // a path that we may not see can be a link
}
