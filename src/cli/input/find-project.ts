/** Finds the project that a folder belongs to, so that a command does the same in each of its folders. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../../base/secret-paths.ts';
import { PROJECT_FOLDER } from '../../trust/project-folder.ts';

/**
 * The nearest folder from `start` upwards that has a `.supervisor` folder. If there is none: the root of the git
 * repository, or else `start` itself. A folder that contains one of `homes` is never a project. `start` is a real path.
 */
export function findProject(start: string, homes: readonly string[]): string {
  const broad = homes.flatMap((home) => [resolve(home), realPathOf(home)]);
  const candidates = ancestors(start).filter((dir) => !broad.some((home) => isWithin(home, dir)));
  // On a shared disk, such as /tmp, another user could place either of them above our folders.
  const users = [process.getuid?.(), statSync(start).uid];
  const has = (dir: string, name: string, isFolder: boolean): boolean => {
    const found = lstatSync(join(dir, name), { throwIfNoEntry: false });
    return found !== undefined && users.includes(found.uid) && (!isFolder || found.isDirectory());
  };
  return (
    candidates.find((dir) => has(dir, PROJECT_FOLDER, true)) ??
    // A file in a submodule and in a linked working tree. Git's own folder has no files to work on, and is refused later.
    candidates.find((dir) => has(dir, '.git', false) && !isWithin(start, join(dir, '.git'))) ??
    start
  );
}

/** The folder itself first. The root of the file system is never a project. */
function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [folder, ...ancestors(parent)];
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // a home that does not exist
  }
}
