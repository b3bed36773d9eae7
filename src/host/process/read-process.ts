/** Reads the processes of a tree, parents before their children. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { yieldToEventLoop } from '../machine/yield-to-event-loop.ts';
import { takeSnapshot } from './process-snapshot.ts';
import type { ProcessRow } from './process-table.ts';
import { processTable } from './process-table.ts';
import { findDescendants } from './process-tree.ts';

/** Visits every process once. Returns whether all of them still existed, so that none was missed. */
export type ProcessReader = (visit: (row: ProcessRow) => void) => Promise<boolean>;

/** A kernel can be built without these lists. */
const HAS_CHILDREN = existsSync(`/proc/self/task/${process.pid}/children`);

/**
 * A process and all its descendants. If its orphans end with it, as with the first process of a process namespace,
 * nothing inside can hide by forking and ending repeatedly. One link of such a chain is always in a list of children,
 * running or already gone.
 */
export function readProcessTree(root: number): ProcessReader {
  if (!HAS_CHILDREN)
    return readProcessList(async () => findDescendants([root], await takeSnapshot(Infinity)));
  return async (visit) => {
    let isWhole = true;
    const seen = new Set<number>();
    const waiting = [root];
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
      if (seen.has(pid)) continue;
      seen.add(pid);
      const row = processTable.row(pid);
      if (row?.zombie === false) visit(row);
      const children = row === undefined ? undefined : readChildren(pid);
      if (children === undefined) isWhole = false;
      else waiting.push(...children); // the youngest is next, because it is the most likely to end soon
      await yieldToEventLoop();
    }
    return isWhole;
  };
}

/** The processes that `find` returns. A process that lives shorter than one pass may be missed. */
export function readProcessList(find: () => Promise<readonly ProcessRow[]>): ProcessReader {
  return async (visit) => {
    const rows = await find();
    // No child is older than its parent.
    for (const row of rows.toSorted((a, b) => a.startTime - b.startTime || a.pid - b.pid))
      visit(row);
    return true;
  };
}

/** The children of all its threads. Undefined if it ended meanwhile. */
function readChildren(pid: number): readonly number[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
        .split(' ')
        .filter((word) => word !== '')
        .map(Number),
    );
  } catch {
    return undefined;
  }
}
