/** Folders that we create and then give to an agent, which may rearrange everything in them. */
import { lchownSync, lstatSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Refusal } from '../../../base/errors.ts';
import { yieldToEventLoop } from '../../machine/yield-to-event-loop.ts';
import { openDeepFolder } from './deep-folder.ts';
import { openBeneath } from './open-beneath.ts';
import { makeFolder } from './write-tree.ts';
import type { UserIds } from '../path-access.ts';

/** Changes the owner of a tree, if we are root and work for another user. Nothing behind a link is touched. */
export async function chownTree(path: string, user: UserIds): Promise<void> {
  if (process.geteuid?.() === 0) await chownBelow(Buffer.from(path), user, 1);
}

/** Our own files are never nested this deep. Anything deeper already belongs to the agent. */
const DEPTH_MAX = 200;

async function chownBelow(path: Buffer, user: UserIds, depth: number): Promise<void> {
  const found = lstatSync(path);
  if (found.uid !== user.uid || found.gid !== user.gid) lchownSync(path, user.uid, user.gid);
  await yieldToEventLoop();
  if (!found.isDirectory() || depth > DEPTH_MAX) return;
  const opened = openDeepFolder(path, 'reading');
  if (typeof opened === 'string') return;
  using folder = opened;
  for (const name of [...folder.names()]) await chownBelow(folder.at(name), user, depth + 1);
}

/** Writes a file in such a folder, never through a link that its user may have left there. */
export async function writeOwnedFile(root: string, path: string, text: string): Promise<void> {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const folder = steps.join('/');
  const hasFolder = await makeFolder(root, folder);
  const written = !hasFolder
    ? undefined
    : await openBeneath(root, folder, async (at) => {
        await rm(at(name), { recursive: true, force: true });
        await using file = await open(at(name), 'wx', 0o600);
        await file.writeFile(text);
        return true;
      });
  if (written !== true)
    throw new Refusal({
      code: 'workspace.unsafe-change',
      message: `${path} cannot be written in the agent's home: something is in the way.`,
      hint: 'Submit the task again: a new run has a new home.',
    });
}
