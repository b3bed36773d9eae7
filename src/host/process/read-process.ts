/** Looks at the processes of a tree, parents before their children. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { yieldToEventLoop } from '../machine/yield-to-event-loop.ts';
import { takeSnapshot } from './process-snapshot.ts';
import type { ProcessRow } from './process-table.ts';
import { processTable } from './process-table.ts';
import { findDescendants } from './process-tree.ts';

/** Visits every process once. Says whether all were still there, so that none can have been missed. */
export type ProcessReader = (visit: (row: ProcessRow) => void) => Promise<boolean>;

/** A kernel can be built without these lists. */
const HAS_CHILDREN = existsSync(`/proc/self/task/${process.pid}/children`);

/**
 * A process and all that descend from it. If the process ends with its orphans, as the first one of a
 * process namespace does, nothing inside can hide by forking and ending over and over: one link
 * of such a chain is always in a list of children, running or gone when we get there.
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
      const children = row === undefined ? undefined : childrenOf(pid);
      if (children === undefined) isWhole = false;
      else waiting.push(...children); // the youngest is the next, and the likeliest to be gone soon
      await yieldToEventLoop();
    }
    return isWhole;
  };
}

/** What `find` finds. A process that lives for less than a look may be missed. */
export function readProcessList(find: () => Promise<readonly ProcessRow[]>): ProcessReader {
  return async (visit) => {
    const rows = await find();
    // No child is older than its parent.
    for (const row of rows.toSorted((a, b) => a.startTime - b.startTime || a.pid - b.pid))
      visit(row);
    return true;
  };
}

/** Of all of its threads; undefined when it ended meanwhile. */
function childrenOf(pid: number): readonly number[] | undefined {
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
