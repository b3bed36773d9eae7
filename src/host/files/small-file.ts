import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export type SmallFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** It is there, but is no file of ours to read, or is larger than asked for. */
  | { readonly kind: 'unreadable'; readonly code: string };

/** The text of a file of at most `bytesMax`. Never throws, and never waits for a pipe to be filled. */
export async function readSmallFile(path: string, bytesMax: number): Promise<SmallFile> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return { kind: 'unreadable', code: 'EINVAL' };
    // Files of the kernel say that they are empty, so the bytes are counted and not the size.
    const buffer = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = (await file.read(buffer, length, buffer.length - length, null)).bytesRead;
    }
    if (length > bytesMax) return { kind: 'unreadable', code: 'EFBIG' };
    return { kind: 'text', text: buffer.toString('utf8', 0, length) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
    // a folder on the way that is a file means the same as one that is not there
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'absent' }
      : { kind: 'unreadable', code };
  }
}
