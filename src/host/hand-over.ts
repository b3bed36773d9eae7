/** Folders that are made by us and then belong to an agent, who may rearrange all that is in them. */
import { lchown, lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { insideFolder } from './tree-folder.ts';
import { makeFolder } from './tree-write.ts';
import type { UserNumber } from './reach.ts';

/** Gives a tree to a user, where we are root and so work for somebody else; nothing behind a link is touched. */
export async function handOver(path: string, user: UserNumber): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const found = await lstat(path);
  if (found.uid !== user.uid || found.gid !== user.gid) await lchown(path, user.uid, user.gid);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await handOver(join(path, name), user);
}

/** Writes a file in such a folder, never through a link that its user may have left there. */
export async function writeInto(root: string, path: string, text: string): Promise<void> {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const folder = steps.join('/');
  const isThere = await makeFolder(root, folder);
  const written = !isThere
    ? undefined
    : await insideFolder(root, folder, async (at) => {
        await rm(at(name), { recursive: true, force: true });
        await using file = await open(at(name), 'wx', 0o600);
        await file.writeFile(text);
        return true;
      });
  if (written !== true)
    throw new Refusal({
      code: 'workspace.unsafe-change',
      message: `${path} can't be written in the agent's home: something is in the way.`,
      hint: 'Submit the task again: a new run has a new home.',
    });
}
