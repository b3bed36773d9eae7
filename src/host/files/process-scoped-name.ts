/**
 * Names for what we create outside our own folders. Each contains its process, so that another process can tell when
 * it is an orphan.
 */
import { isAlive, processTable } from '../process/process-table.ts';

export function processScopedName(prefix: string, rest: string): string {
  const startTime = processTable.row(process.pid)?.startTime ?? 0;
  return `${prefix}${process.pid}-${startTime}-${rest}`;
}

/** Whether a name belongs to a process that no longer exists. */
export function isOrphan(name: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const [, pid, startTime] = /^(\d+)-(\d+)-/.exec(name.slice(prefix.length)) ?? [];
  return pid !== undefined && !isAlive({ pid: Number(pid), startTime: Number(startTime) });
}
