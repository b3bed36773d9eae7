/**
 * A lock that is a file naming its holder. It outlives a holder that is killed, and is then taken
 * over by whoever comes after a grace, since a process is known by its pid and its start.
 */
import { randomBytes } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock, Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { errnoOf } from './errno.ts';
import { isAlive, processTable } from './process-table.ts';
import { readSmallFile } from './small-file.ts';

export type Holder = {
  readonly pid: number;
  readonly startTime: number;
  readonly since: Instant;
  /** What it is held for; the same purpose goes on at once where its holder died. */
  readonly purpose: string;
};

export type LockOptions = {
  readonly clock: Clock;
  readonly purpose: string;
  /** How long the lock of a dead holder is left alone. */
  readonly graceMs: number;
};

export type LockAnswer =
  | { readonly kind: 'taken'; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly by: Holder; readonly isDead: boolean };

const LOCK_BYTES_MAX = 4096;
const TRIES_MAX = 5;

export async function takeLock(path: string, options: LockOptions): Promise<LockAnswer> {
  const { clock, purpose, graceMs } = options;
  const me: Holder = { ...thisProcess(), since: clock.now(), purpose };
  for (let tries = 1; ; tries += 1) {
    if (await claim(path, me)) return { kind: 'taken', release: () => release(path, me) };
    const by = await holderOf(path);
    if (by === undefined && tries < TRIES_MAX) continue; // let go of in between
    const held = by ?? { ...me, pid: 0, startTime: 0 };
    const isDead = !isAlive(held);
    const isOver = isDead && (held.purpose === purpose || clock.now() - held.since >= graceMs);
    if (!isOver || tries >= TRIES_MAX) return { kind: 'held', by: held, isDead };
    await remove(path, held);
  }
}

/** Who holds the lock, if anybody does; dead or alive. */
export async function holderOf(path: string): Promise<Holder | undefined> {
  const read = await readSmallFile(path, LOCK_BYTES_MAX);
  const found = read.kind === 'text' ? parseJson(read.text) : undefined;
  if (!isRecord(found)) return undefined;
  const { pid, startTime, since, purpose } = found;
  return typeof pid === 'number' && typeof startTime === 'number'
    ? { pid, startTime, since: at(Number(since)), purpose: String(purpose) }
    : undefined;
}

function thisProcess(): { readonly pid: number; readonly startTime: number } {
  return { pid: process.pid, startTime: processTable.row(process.pid)?.startTime ?? 0 };
}

/** A link is made whole or not at all, so nobody ever reads half a lock. */
async function claim(path: string, me: Holder): Promise<boolean> {
  const temporary = aside(path);
  try {
    await writeFile(temporary, JSON.stringify(me), { mode: 0o600, flag: 'wx' });
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error; // a folder that can't be written to is not a lock that is held
  } finally {
    await rm(temporary, { force: true });
  }
}

async function release(path: string, me: Holder): Promise<void> {
  if (isSame(await holderOf(path), me)) await rm(path, { force: true });
}

/** Of several who find the same dead holder, one moves its lock away; who moved a newer one puts it back. */
async function remove(path: string, dead: Holder): Promise<void> {
  const moved = aside(path);
  try {
    await rename(path, moved);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error; // as in `claim`
  }
  if (!isSame(await holderOf(moved), dead)) await link(moved, path).catch(() => {}); // or a third one has it
  await rm(moved, { force: true });
}

function isSame(a: Holder | undefined, b: Holder): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether a file of this name is a lock on its way to or from its place. */
export function isLockInPassing(name: string): boolean {
  return /\.lock\.[0-9a-f]{12}$/.test(name);
}

function aside(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}`;
}
