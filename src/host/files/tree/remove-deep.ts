import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { yieldToEventLoop } from '../../machine/yield-to-event-loop.ts';
import type { DeepFolder } from './deep-folder.ts';
import { openDeepFolder } from './deep-folder.ts';
import { errnoCode } from '../errno.ts';

/** Each level needs an open handle. Deeper folders are moved up and removed from there. */
const DEPTH_MAX = 64;

/**
 * Removes a folder with everything in it, whatever its names, depth and modes. No process may be using it. The time
 * is linear in the number of entries.
 */
export async function removeDeep(path: string): Promise<void> {
  const opened = openDeepFolder(Buffer.from(path), 'emptying');
  if (opened === 'gone') return;
  if (opened === 'closed') throw new Error(`${path} cannot be opened to remove its content`);
  using top = opened;
  const movedUp: Buffer[] = [];
  await empty(top, 1, (entry) => {
    const name = Buffer.from(`removed-${randomBytes(8).toString('hex')}`);
    renameSync(entry, top.at(name));
    movedUp.push(name);
  });
  for (let name = movedUp.pop(); name !== undefined; name = movedUp.pop())
    await removeEntry(top.at(name), 1, (entry) => {
      const next = Buffer.from(`removed-${randomBytes(8).toString('hex')}`);
      renameSync(entry, top.at(next));
      movedUp.push(next);
    });
  ignoringGone(() => rmdirSync(path));
}

async function empty(
  folder: DeepFolder,
  depth: number,
  moveUp: (entry: Buffer) => void,
): Promise<void> {
  for (const name of [...folder.names()]) {
    await removeEntry(folder.at(name), depth, moveUp);
    await yieldToEventLoop();
  }
}

async function removeEntry(
  entry: Buffer,
  depth: number,
  moveUp: (entry: Buffer) => void,
): Promise<void> {
  if (ignoringGone(() => lstatSync(entry).isDirectory()) !== true) {
    ignoringGone(() => unlinkSync(entry));
    return;
  }
  const opened = openDeepFolder(entry, 'emptying');
  if (typeof opened !== 'string') {
    using inner = opened;
    if (depth >= DEPTH_MAX) {
      moveUp(entry);
      return;
    }
    await empty(inner, depth + 1, moveUp);
  }
  ignoringGone(() => rmdirSync(entry));
}

function ignoringGone<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw error; // it exists, and cannot be removed
  }
}
