import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAlive, processTable } from '../process/process-table.ts';

/** A new folder inside another. It is removed with its content at the end of the scope. */
export async function scratchDir(
  parent: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  const startTime = processTable.row(process.pid)?.startTime ?? 0;
  const path = await mkdtemp(join(parent, `scratch-${process.pid}-${startTime}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Whether it is such a folder whose process no longer exists. */
export function isOrphanDir(path: string): boolean {
  const [, pid, startTime] = /^scratch-(\d+)-(\d+)-/.exec(basename(path)) ?? [];
  if (pid === undefined || startTime === undefined) return false;
  return !isAlive({ pid: Number(pid), startTime: Number(startTime) });
}
