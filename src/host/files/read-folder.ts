import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoCode } from './errno.ts';

/** One entry of a folder. Links are not followed, and special files are not opened. */
export type FolderEntry =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'other'; readonly path: string; readonly mode: number };

export type FolderBounds = {
  readonly entriesMax: number;
  readonly bytesMax: number;
  readonly depthMax: number;
  /** Paths inside the folder that are not read. */
  readonly leftOut?: readonly string[];
};

export type ReadFolder =
  | { readonly kind: 'absent' }
  | { readonly kind: 'read'; readonly entries: readonly FolderEntry[] }
  /** The first entry that exceeded a bound. */
  | { readonly kind: 'too-large'; readonly path: string };

/**
 * Reads everything in a folder, each file once. Paths are relative to the folder; `''` is the folder itself if it is
 * a link. Rejects if something exists and cannot be read.
 */
export async function readFolder(folder: string, bounds: FolderBounds): Promise<ReadFolder> {
  const rootType = await entryType(folder);
  if (rootType === 'link')
    return { kind: 'read', entries: [{ kind: 'link', path: '', target: await readlink(folder) }] };
  if (rootType !== 'folder') return { kind: 'absent' };
  const entries: FolderEntry[] = [];
  let bytesLeft = bounds.bytesMax;
  const walk = async (inside: string, depth: number): Promise<string | undefined> => {
    const names = (await readdir(join(folder, inside))).toSorted();
    for (const name of names) {
      const path = inside === '' ? name : `${inside}/${name}`;
      if (bounds.leftOut?.includes(path) === true) continue;
      if (entries.length >= bounds.entriesMax || depth > bounds.depthMax) return path;
      const entry = await readEntry(join(folder, path), path, bytesLeft);
      if (entry === undefined) continue; // it disappeared after it was listed
      if (entry === 'too-large') return path;
      entries.push(entry);
      if (entry.kind === 'file') bytesLeft -= entry.bytes.length;
      const over = entry.kind === 'folder' ? await walk(path, depth + 1) : undefined;
      if (over !== undefined) return over;
    }
    return undefined;
  };
  const over = await walk('', 1);
  return over === undefined ? { kind: 'read', entries } : { kind: 'too-large', path: over };
}

async function entryType(path: string): Promise<'folder' | 'link' | 'something' | 'absent'> {
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'something';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error))) return 'absent';
    throw error; // it exists and cannot be inspected: the caller reports that
  }
}

async function readEntry(
  full: string,
  path: string,
  bytesMax: number,
): Promise<FolderEntry | 'too-large' | undefined> {
  try {
    const found = await lstat(full);
    const mode = found.mode & 0o7777;
    if (found.isSymbolicLink()) return { kind: 'link', path, target: await readlink(full) };
    if (found.isDirectory()) return { kind: 'folder', path, mode };
    if (!found.isFile()) return { kind: 'other', path, mode };
    // If it is swapped now, neither a link nor a pipe is opened in its place.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(full, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const opened = await file.stat();
    if (!opened.isFile()) return { kind: 'other', path, mode: opened.mode & 0o7777 };
    if (opened.size > bytesMax) return 'too-large';
    const bytes = await readAtMost(file, bytesMax);
    if (bytes === undefined) return 'too-large';
    return { kind: 'file', path, mode: opened.mode & 0o7777, bytes };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error))) return undefined;
    throw error; // it exists and cannot be read
  }
}

async function readAtMost(
  file: Awaited<ReturnType<typeof open>>,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, length);
    if (bytesRead === 0) return Buffer.concat(chunks);
    length += bytesRead;
    if (length > bytesMax) return undefined;
    chunks.push(chunk.subarray(0, bytesRead));
  }
}
