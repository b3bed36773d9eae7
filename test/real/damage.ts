import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namesBelow } from '../names-below.ts';

/** Removes or breaks the stored conversation of a CLI. Returns the number of files. */
export async function damage(
  home: string,
  session: string,
  how: 'gone' | 'broken',
): Promise<number> {
  const names = await namesBelow(home);
  let count = 0;
  for (const name of names) {
    // Gemini names a file by the first digits; opencode has one file for all conversations.
    const isIts = name.includes(session.slice(0, 8)) || /\/opencode\.db(-\w+)?$/.test(name);
    const path = join(home, name);
    if (
      !isIts ||
      !(await stat(path).then(
        (found) => found.isFile(),
        () => false,
      ))
    )
      continue;
    count += 1;
    if (how === 'gone') await rm(path);
    else await writeFile(path, '{"half of a line": "and no');
  }
  return count;
}
