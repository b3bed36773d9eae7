import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

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
      bytes += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512;
    }
  }
  return bytes;
}
