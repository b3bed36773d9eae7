import { statSync } from 'node:fs';

/** Which file is at a path: its device and inode. A file that is held open keeps them, so no other can have them. */
export function fileIdentity(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.dev}:${found.ino}`;
  } catch {
    return undefined; // a part of the path is not a folder, or is closed to us: our file is not there
  }
}

/** Says which of these paths leads to another file than now, or to none; undefined while all are the same. */
export function watchFiles(paths: readonly string[]): () => string | undefined {
  const before = paths.map((path) => [path, fileIdentity(path)] as const);
  return () => before.find(([path, identity]) => fileIdentity(path) !== identity)?.[0];
}
