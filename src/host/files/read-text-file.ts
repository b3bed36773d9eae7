import { open, rm } from 'node:fs/promises';

/**
 * The text of a file, or undefined when there is none. It reads at most one byte more than
 * `bytesMax`, so that its caller can tell that a file is too long without reading all of it.
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
    throw error; // it is there and can't be read: that is for the caller to say
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
