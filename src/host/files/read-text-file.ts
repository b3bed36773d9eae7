/** Reads text files up to a bound. */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { errnoCode } from './errno.ts';

const BUFFER_BYTES_MIN = 4096;

/**
 * The text of a file, or undefined if it does not exist. Reads at most one byte more than `bytesMax`, so that the caller
 * can tell that a file is too long without reading all of it.
 */
export async function readTextFile(path: string, bytesMax: number): Promise<string | undefined> {
  return (await readFileBytes(path, bytesMax))?.toString('utf8');
}

/** The same for content that need not be text. */
export async function readFileBytes(path: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    // Without O_NONBLOCK, a named pipe would block a thread of this process until a program writes to the pipe.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (found.isFIFO() || found.isSocket())
      throw Object.assign(new Error(`${path} is not a plain file`), { code: 'EINVAL', path });
    return await readUpTo(file, found.size, bytesMax + 1);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error; // it exists and can't be read: the caller reports that
  }
}

export type SmallFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** It exists, but it is not a plain file, may not be read, or is larger than `bytesMax`. */
  | { readonly kind: 'unreadable'; readonly code: string };

/** The text of a file of at most `bytesMax`. Never throws, and never blocks on a pipe. */
export async function readSmallFile(path: string, bytesMax: number): Promise<SmallFile> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) return { kind: 'unreadable', code: 'EINVAL' };
    const content = await readUpTo(file, found.size, bytesMax + 1);
    if (content.length > bytesMax) return { kind: 'unreadable', code: 'EFBIG' };
    return { kind: 'text', text: content.toString('utf8') };
  } catch (error) {
    return isMissing(error) ? { kind: 'absent' } : { kind: 'unreadable', code: errnoCode(error) };
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/**
 * Kernel files report a size of zero, and a file may grow, so the size is only a guess. A buffer of `bytesMax` for each
 * small file would fill the memory with zeros, and keep the garbage collector busy.
 */
async function readUpTo(file: FileHandle, size: number, bytesMax: number): Promise<Buffer> {
  let buffer = Buffer.alloc(Math.min(Math.max(size + 1, BUFFER_BYTES_MIN), bytesMax));
  let length = 0;
  for (let read = -1; read !== 0 && length < bytesMax; length += read) {
    if (length === buffer.length)
      buffer = Buffer.concat([buffer], Math.min(2 * buffer.length, bytesMax));
    read = (await file.read(buffer, length, buffer.length - length, null)).bytesRead;
  }
  return buffer.subarray(0, length);
}

/** A file in place of a parent folder means the same as a missing folder. */
function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoCode(error));
}
