/**
 * A second tree with the same content and no file in common with the first: whoever changes one
 * changes nothing in the other. No link is followed, and what is neither file, folder nor link is left out.
 */
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { yieldToEventLoop } from '../../machine/yield-to-event-loop.ts';

export type TreeBounds = { readonly entriesMax: number; readonly bytesMax: number };

export type TreeSum = {
  readonly entries: number;
  readonly bytes: number;
  /** The same for the same names, kinds, modes and contents only. */
  readonly digest: string;
};

/** Undefined when there is more than the bounds allow; part of it may then have been copied. */
export function copyTree(
  from: string,
  to: string,
  bounds: TreeBounds,
): Promise<TreeSum | undefined> {
  return walk(from, to, bounds);
}

/** What copying it would say. */
export function sumTree(from: string, bounds: TreeBounds): Promise<TreeSum | undefined> {
  return walk(from, undefined, bounds);
}

type Tally = { readonly hash: Hash; entries: number; bytes: number };

async function walk(
  from: string,
  to: string | undefined,
  { entriesMax, bytesMax }: TreeBounds,
): Promise<TreeSum | undefined> {
  const tally: Tally = { hash: createHash('sha256'), entries: 0, bytes: 0 };
  const isWithin = (): boolean => tally.entries <= entriesMax && tally.bytes <= bytesMax;
  const visit = async (path: string): Promise<boolean> => {
    tally.entries += 1;
    if (!isWithin()) return false;
    const [source, target] = [join(from, path), to === undefined ? undefined : join(to, path)];
    const { mode, size, mtimeMs } = await takeEntry(source, target, path, tally);
    if (mode !== 'folder') return size === 0 || isWithin();
    for (const name of readdirSync(source).toSorted()) {
      if (!(await visit(path === '' ? name : `${path}/${name}`))) return false;
      await yieldToEventLoop();
    }
    if (target !== undefined) utimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
    return true;
  };
  if (!(await visit(''))) return undefined;
  return { entries: tally.entries, bytes: tally.bytes, digest: tally.hash.digest('hex') };
}

/** Below this a file is read at once: handing it to another thread would take longer. */
const SMALL_BYTES = 1_000_000;

async function takeEntry(
  source: string,
  target: string | undefined,
  path: string,
  tally: Tally,
): Promise<{ readonly mode: 'folder' | 'other'; readonly size: number; readonly mtimeMs: number }> {
  const { hash } = tally;
  const found = lstatSync(source, { throwIfNoEntry: false });
  if (found === undefined) return { mode: 'other', size: 0, mtimeMs: 0 }; // a name that is no text finds nothing
  const { size, mtimeMs } = found;
  const say = (kind: string): unknown => hash.update(`${kind} ${path}\0`);
  if (found.isSymbolicLink()) {
    const leadsTo = readlinkSync(source, { encoding: 'buffer' });
    say('link');
    hash.update(leadsTo).update('\0');
    if (target !== undefined) symlinkSync(leadsTo, target);
  } else if (found.isDirectory()) {
    say('folder');
    if (target !== undefined) mkdirSync(target, { mode: 0o755 });
    return { mode: 'folder', size, mtimeMs };
  } else if (found.isFile()) {
    const isExecutable = (found.mode & 0o100) !== 0;
    say(isExecutable ? 'program' : 'file');
    hash.update(`${size}\0`);
    const fileMode = isExecutable ? 0o755 : 0o644;
    tally.bytes += size;
    if (size > SMALL_BYTES) await takeLarge(source, target, fileMode, hash);
    else {
      const content = readFileSync(source);
      hash.update(content);
      if (target !== undefined) writeFileSync(target, content, { mode: fileMode, flag: 'wx' });
    }
    // Python takes what it has compiled for stale when the time of a source differs.
    if (target !== undefined) utimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
  }
  return { mode: 'other', size, mtimeMs };
}

async function takeLarge(
  source: string,
  target: string | undefined,
  mode: number,
  hash: Hash,
): Promise<void> {
  await using reads = await open(source, 'r');
  await using writes = target === undefined ? undefined : await open(target, 'wx', mode);
  const buffer = Buffer.alloc(SMALL_BYTES);
  for (;;) {
    const { bytesRead } = await reads.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    hash.update(buffer.subarray(0, bytesRead));
    await writes?.writeFile(buffer.subarray(0, bytesRead));
  }
}
