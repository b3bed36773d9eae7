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
import type { FileHandle } from 'node:fs/promises';
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

type Tally = {
  readonly hash: Hash;
  readonly bytesMax: number;
  entries: number;
  bytes: number;
};

async function walk(
  from: string,
  to: string | undefined,
  { entriesMax, bytesMax }: TreeBounds,
): Promise<TreeSum | undefined> {
  const tally: Tally = { hash: createHash('sha256'), bytesMax, entries: 0, bytes: 0 };
  const visit = async (path: string): Promise<boolean> => {
    tally.entries += 1;
    if (tally.entries > entriesMax) return false;
    const [source, target] = [join(from, path), to === undefined ? undefined : join(to, path)];
    const { kind, mtimeMs } = await takeEntry(source, target, path, tally);
    if (kind !== 'folder') return kind === 'taken';
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

type Taken = {
  readonly kind: 'folder' | 'taken' | 'too-large';
  readonly mtimeMs: number;
};

async function takeEntry(
  source: string,
  target: string | undefined,
  path: string,
  tally: Tally,
): Promise<Taken> {
  const { hash } = tally;
  const found = lstatSync(source, { throwIfNoEntry: false });
  if (found === undefined) return { kind: 'taken', mtimeMs: 0 }; // a name that is not text matches no file
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
    return { kind: 'folder', mtimeMs };
  } else if (found.isFile()) {
    // A file of holes takes no space, and its copy would fill the disk. So its size counts before a byte is read.
    const bytesLeft = tally.bytesMax - tally.bytes;
    if (size > bytesLeft) return { kind: 'too-large', mtimeMs };
    const isExecutable = (found.mode & 0o100) !== 0;
    hashEntry(isExecutable ? 'program' : 'file');
    hash.update(`${size}\0`);
    const fileMode = isExecutable ? 0o755 : 0o644;
    if (size > SMALL_BYTES) {
      const limits = { mode: fileMode, bytesMax: bytesLeft };
      const bytes = await takeLarge(source, target, limits, hash);
      if (bytes === undefined) return { kind: 'too-large', mtimeMs };
      tally.bytes += bytes;
    } else {
      const content = readFileSync(source);
      hash.update(content);
      tally.bytes += content.length;
      if (target !== undefined) writeFileSync(target, content, { mode: fileMode, flag: 'wx' });
    }
    // Python treats compiled files as stale if the time of their source differs.
    if (target !== undefined) utimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
  }
  return { kind: 'taken', mtimeMs };
}

/** Undefined if it has grown beyond the bound since it was looked at. Keeps holes. */
async function takeLarge(
  source: string,
  target: string | undefined,
  { mode, bytesMax }: { readonly mode: number; readonly bytesMax: number },
  hash: Hash,
): Promise<number | undefined> {
  await using reads = await open(source, 'r');
  await using writes = target === undefined ? undefined : await open(target, 'wx', mode);
  const buffer = Buffer.alloc(SMALL_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await reads.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) {
      await writes?.truncate(at);
      return at;
    }
    if (at + bytesRead > bytesMax) return undefined;
    const content = buffer.subarray(0, bytesRead);
    hash.update(content);
    if (writes !== undefined && !content.equals(ZEROS.subarray(0, bytesRead)))
      await writeAll(writes, content, at);
    at += bytesRead;
  }
}

const ZEROS = Buffer.alloc(SMALL_BYTES);

async function writeAll(file: FileHandle, content: Buffer, position: number): Promise<void> {
  for (let done = 0; done < content.length;)
    done += (await file.write(content, done, content.length - done, position + done)).bytesWritten;
}
