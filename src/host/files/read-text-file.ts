import { open, rm } from 'node:fs/promises';

/**
 * The text of a file, or undefined if it does not exist. Reads at most one byte more than `bytesMax`, so that the
 * caller can detect a file that is too long without reading all of it.
 */
export async function readTextFile(path: string, bytesMax: number): Promise<string | undefined> {
  try {
    await using file = await open(path, 'r');
    const buffer = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.toString('utf8', 0, length);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error; // it exists and cannot be read: the caller reports that
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  );
}
