/** Kills processes for certain: kill and search again until none is left. */
import type { ProcessId, ProcessRow } from './process-table.ts';
import { takeSnapshot } from './process-snapshot.ts';
import { checkTag, signalProcess } from './process-table.ts';
import type { ProcessFamily } from './process-tree.ts';
import { findProcessFamily } from './process-tree.ts';

export type KilledProcesses = {
  readonly killed: number;
  /** Still alive at the end: stuck in the kernel, or owned by another user. */
  readonly left: number;
};

/** About four seconds of passes. A process that survives that many SIGKILLs will not die of another. */
const PASSES_MAX = 60;
const PAUSE_MS_MAX = 100;

export async function livingProcesses(family: ProcessFamily): Promise<readonly ProcessRow[]> {
  return findProcessFamily(family, await takeSnapshot(family.leader?.startTime));
}

/**
 * Kills everything that `find` returns. An empty pass is proof only if nothing was found before. While processes die
 * and fork, one may be missed by a pass, so after a kill it takes two empty passes.
 */
export async function killAll(
  find: () => Promise<readonly ProcessId[]>,
  passesMax = PASSES_MAX,
): Promise<KilledProcesses> {
  const killed = new Set<string>();
  let quiet = 0;
  let found: readonly ProcessId[] = [];
  for (let pass = 0, pauseMs = 1; pass < passesMax; pass += 1) {
    found = await find();
    quiet = found.length === 0 ? quiet + 1 : 0;
    if (quiet >= (killed.size === 0 ? 1 : 2)) break;
    for (const one of found) {
      if (signalProcess(one, 'SIGKILL')) killed.add(`${one.pid} ${one.startTime}`);
    }
    await pause(pauseMs);
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
  }
  return { killed: killed.size, left: found.length };
}

/** Kills every process whose tag is `tagPrefix` or below it, and their families. */
export async function killTagged(tagPrefix: string): Promise<KilledProcesses> {
  const tag = tagPrefix.replace(/\/+$/, '');
  checkTag(tag);
  const known = new Map<number, ProcessId>();
  return killAll(async () => {
    const found = await livingProcesses({ tag, known });
    for (const one of found) known.set(one.pid, one);
    return found;
  });
}

/** Gives the kernel real time, whatever clock the caller uses. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
