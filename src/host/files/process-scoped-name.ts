/** Names of what we make outside our own folders. They say who made it, so that others know when nobody will clear it away. */
import { isAlive, processTable } from '../process/process-table.ts';

export function processScopedName(prefix: string, rest: string): string {
  const startTime = processTable.row(process.pid)?.startTime ?? 0;
  return `${prefix}${process.pid}-${startTime}-${rest}`;
}

/** Whether a thing of this name was made by a process that is gone. */
export function isOrphan(name: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const [, pid, startTime] = /^(\d+)-(\d+)-/.exec(name.slice(prefix.length)) ?? [];
  return pid !== undefined && !isAlive({ pid: Number(pid), startTime: Number(startTime) });
}
