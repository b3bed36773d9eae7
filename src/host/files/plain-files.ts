import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Those of these paths that are regular files below the folder. A link on the way counts as no file. */
export function plainFiles(folder: string, paths: readonly string[]): readonly string[] {
  const root = realpathSync(folder);
  return paths.filter((path) => {
    const at = join(root, path);
    try {
      return realpathSync(at) === at && lstatSync(at).isFile();
    } catch {
      return false; // it is not there, or cannot be read
    }
  });
}
