import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that never belong to a project, if no version control says which files do. */
const SKIPPED = new Set(
  [
    '.git .hg .svn node_modules bower_components vendor dist build out target coverage .venv venv',
    '__pycache__ .tox .mypy_cache .pytest_cache .ruff_cache .next .nuxt .turbo .cache .idea',
  ].flatMap((names) => names.split(' ')),
);

/**
 * The plain files below a folder, as sorted relative paths with forward slashes, at most `max` of them. Links are not
 * followed, and an unreadable folder has no files.
 */
export async function listTree(root: string, max: number): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [''];
  while (found.length < max) {
    const folder = folders.pop();
    if (folder === undefined) break;
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []); // we may not read it
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      else if (entry.isFile() && found.length < max) found.push(path);
    }
  }
  return found.toSorted();
}
