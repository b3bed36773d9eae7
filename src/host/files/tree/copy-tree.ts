/**
 * Copies a tree so that the copy shares no file with the original: a change in one does not change the other. No link
 * is followed, and special files are left out.
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
  /** Equal only for equal names, kinds, modes and contents. */
  readonly digest: string;
};

/** Undefined if the tree exceeds the bounds. Part of it may then have been copied. */
export function copyTree(
  from: string,
  to: string,
  bounds: TreeBounds,
): Promise<TreeSum | undefined> {
  return walk(from, to, bounds);
}

/** The sum that copying the tree would return. */
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

/** A smaller file is read synchronously, because passing it to another thread would take longer. */
const SMALL_BYTES = 1_000_000;

async function takeEntry(
  source: string,
  target: string | undefined,
  path: string,
  tally: Tally,
): Promise<{ readonly mode: 'folder' | 'other'; readonly size: number; readonly mtimeMs: number }> {
  const { hash } = tally;
  const found = lstatSync(source, { throwIfNoEntry: false });
  if (found === undefined) return { mode: 'other', size: 0, mtimeMs: 0 }; // a name that is not text matches no file
  const { size, mtimeMs } = found;
  const hashEntry = (kind: string): unknown => hash.update(`${kind} ${path}\0`);
  if (found.isSymbolicLink()) {
    const linkTarget = readlinkSync(source, { encoding: 'buffer' });
    hashEntry('link');
    hash.update(linkTarget).update('\0');
    if (target !== undefined) symlinkSync(linkTarget, target);
  } else if (found.isDirectory()) {
    hashEntry('folder');
    if (target !== undefined) mkdirSync(target, { mode: 0o755 });
    return { mode: 'folder', size, mtimeMs };
  } else if (found.isFile()) {
    const isExecutable = (found.mode & 0o100) !== 0;
    hashEntry(isExecutable ? 'program' : 'file');
    hash.update(`${size}\0`);
    const fileMode = isExecutable ? 0o755 : 0o644;
    tally.bytes += size;
    if (size > SMALL_BYTES) await takeLarge(source, target, fileMode, hash);
    else {
      const content = readFileSync(source);
      hash.update(content);
      if (target !== undefined) writeFileSync(target, content, { mode: fileMode, flag: 'wx' });
    }
    // Python treats compiled files as stale if the time of their source differs.
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
