import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export type SmallFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** It exists, but is not a file that we can read, or is larger than requested. */
  | { readonly kind: 'unreadable'; readonly code: string };

/** The text of a file of at most `bytesMax`. Never throws, and never blocks on a pipe. */
export async function readSmallFile(path: string, bytesMax: number): Promise<SmallFile> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return { kind: 'unreadable', code: 'EINVAL' };
    // Kernel files report a size of zero, so the bytes are counted instead of using the size.
    const buffer = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = (await file.read(buffer, length, buffer.length - length, null)).bytesRead;
    }
    if (length > bytesMax) return { kind: 'unreadable', code: 'EFBIG' };
    return { kind: 'text', text: buffer.toString('utf8', 0, length) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
    // a file in place of a parent folder means the same as a missing folder
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'absent' }
      : { kind: 'unreadable', code };
  }
}
