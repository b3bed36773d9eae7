/** Reads text files up to a bound. */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { errnoCode } from './errno.ts';

/**
 * The text of a file, or undefined if it does not exist. Reads at most one byte more than `bytesMax`, so that the caller
 * can tell that a file is too long without reading all of it.
 */
export async function readTextFile(path: string, bytesMax: number): Promise<string | undefined> {
  try {
    // Without O_NONBLOCK, a named pipe would block a thread of this process until a program writes to the pipe.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (found.isFIFO() || found.isSocket())
      throw Object.assign(new Error(`${path} is not a plain file`), { code: 'EINVAL', path });
    return (await readUpTo(file, bytesMax + 1)).toString('utf8');
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
    if (!(await file.stat()).isFile()) return { kind: 'unreadable', code: 'EINVAL' };
    // Kernel files report a size of zero, so the bytes are counted.
    const content = await readUpTo(file, bytesMax + 1);
    if (content.length > bytesMax) return { kind: 'unreadable', code: 'EFBIG' };
    return { kind: 'text', text: content.toString('utf8') };
  } catch (error) {
    return isMissing(error) ? { kind: 'absent' } : { kind: 'unreadable', code: errnoCode(error) };
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

async function readUpTo(file: FileHandle, bytesMax: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytesMax);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytesMax; length += read)
    read = (await file.read(buffer, length, bytesMax - length, null)).bytesRead;
  return buffer.subarray(0, length);
}

/** A file in place of a parent folder means the same as a missing folder. */
function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoCode(error));
}
