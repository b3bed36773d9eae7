/**
 * Every path below a folder, relative to it. Unlike `readdir`, it tolerates files that appear or
 * vanish meanwhile.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function namesBelow(root: string, folder = ''): Promise<readonly string[]> {
  const entries: Dirent[] = await readdir(join(root, folder), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    },
  );
  const names: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    names.push(path);
    if (entry.isDirectory()) names.push(...(await namesBelow(root, path)));
  }
  return names;
}
