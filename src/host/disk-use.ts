import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a file takes at the least, however little is in it: a disk runs out of files as well as of bytes. */
const FILE_BYTES_LEAST = 4096;

/**
 * How many bytes of disk the files below these folders take. Links are not followed, and what
 * disappears meanwhile is not counted. Stops counting once there are more than `bytesMax`.
 */
export async function diskUse(
  folders: readonly string[],
  bytesMax: number,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await opendir(folder).catch(() => undefined); // gone, or closed to us
    if (entries === undefined) continue;
    for await (const entry of entries) {
      if (signal.aborted || bytes > bytesMax) return bytes;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined) bytes += Math.max(found.blocks * 512, FILE_BYTES_LEAST);
    }
  }
  return bytes;
}
