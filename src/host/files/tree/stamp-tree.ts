/** Stamps the files of a tree, so that a later stamp shows which of them a command has changed. */
import { lstatSync, readdirSync } from 'node:fs';
import { yieldToEventLoop } from '../../machine/yield-to-event-loop.ts';
import { openBeneath } from './open-beneath.ts';

export type TreeStamps = ReadonlyMap<string, string>;

const DEPTH_MAX = 100;

/**
 * A text for each file below the root, by its relative path. It changes whenever the file does: a process without
 * privileges can set its other times, but not the time of that change. `skipped` names entries of the root to leave out.
 * Undefined: the tree has more than `entriesMax` entries, or is too deep.
 */
export async function stampTree(
  root: string,
  skipped: readonly string[],
  entriesMax: number,
): Promise<TreeStamps | undefined> {
  const stamps = new Map<string, string>();
  const folders = [''];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (folder.split('/').length > DEPTH_MAX) return undefined;
    const prefix = folder === '' ? '' : `${folder}/`;
    // A folder that is gone or closed has nothing that could be compared.
    await openBeneath(root, folder, async (at) => {
      await yieldToEventLoop();
      for (const name of readdirSync(at('.'))) {
        if (folder === '' && skipped.includes(name)) continue;
        entries += 1;
        if (entries > entriesMax) return;
        const found = lstatSync(at(name), { bigint: true, throwIfNoEntry: false });
        if (found?.isDirectory() === true) folders.push(`${prefix}${name}`);
        else if (found !== undefined)
          stamps.set(
            `${prefix}${name}`,
            `${found.ino} ${found.mode} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
          );
      }
    }).catch(() => undefined);
    if (entries > entriesMax) return undefined;
  }
  return stamps;
}

/** The paths that were created, changed or deleted between two stamps, sorted. */
export function changedSince(before: TreeStamps, after: TreeStamps): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}
