/**
 * How a command that only watches continues when its owner is gone. An owner that died is replaced. An owner that
 * was stopped is not: the person who stopped it does not want that a watching command starts the next one.
 */
import { existsSync } from 'node:fs';
import { isRefusal } from '../base/errors.ts';
import type { Home } from '../host/machine/state-home.ts';
import type { ProcessId } from '../host/process/process-table.ts';
import { isAlive, processTable } from '../host/process/process-table.ts';
import { findOwner } from './connect.ts';
import { OWNER_GOES } from './persistent-transport.ts';

/** True if the call failed because the owner is gone or is about to go. */
export function isOwnerGone(error: unknown): boolean {
  return isRefusal(error) && OWNER_GOES.has(error.data.code);
}

/** Resolves with true when an owner is running, and with false while the last one stays stopped. */
export type Rejoin = () => Promise<boolean>;

/** `again` resolves when an owner is running, and starts one if necessary. */
export async function rejoinOwner(home: Home, again: () => Promise<unknown>): Promise<Rejoin> {
  let last = await ownerProcess(home);
  return async () => {
    const now = await ownerNow(home, last);
    if (now === 'stopped') return false;
    if (now === 'died') await again();
    last = await ownerProcess(home);
    return true;
  };
}

/** An owner that shuts down in order removes its file, after its last answer. */
async function ownerNow(
  home: Home,
  last: ProcessId | undefined,
): Promise<'running' | 'stopped' | 'died'> {
  if ((await findOwner(home)) !== undefined) return 'running';
  if (last !== undefined && isAlive(last)) return 'stopped'; // it answers no more, and is about to end
  return existsSync(home.ownerFile) ? 'died' : 'stopped';
}

async function ownerProcess(home: Home): Promise<ProcessId | undefined> {
  const found = await findOwner(home);
  return found === undefined ? undefined : processTable.row(found.view.pid);
}
