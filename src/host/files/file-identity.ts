import { statSync } from 'node:fs';
import { errnoCode } from './errno.ts';

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR']);

type Identity = `${bigint}:${bigint}` | 'gone' | 'unknown';

/**
 * Which file is at a path: its device and inode. A file that is held open keeps them, so no other file
 * can have them. `unknown` means that the system did not say: a disk that fails, or too many open files.
 */
function fileIdentity(path: string): Identity {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    return NOT_THERE.has(errnoCode(error)) ? 'gone' : 'unknown';
  }
}

export type WatchedFiles = {
  /** The first path that certainly leads to another file than before, or to none. */
  readonly lost: () => string | undefined;
  /** Whether every path certainly leads to the same file as before. */
  readonly areSame: () => boolean;
};

/** Remembers which files are at these paths now. `identify` is a parameter for tests. */
export function watchFiles(
  paths: readonly string[],
  identify: (path: string) => Identity = fileIdentity,
): WatchedFiles {
  const before = paths.map((path) => [path, identify(path)] as const);
  const isLost = (path: string, was: Identity): boolean => {
    const is = identify(path);
    return is !== was && is !== 'unknown' && was !== 'unknown';
  };
  return {
    lost: () => before.find(([path, was]) => isLost(path, was))?.[0],
    areSame: () => before.every(([path, was]) => was !== 'unknown' && identify(path) === was),
  };
}
