import { statSync } from 'node:fs';
import { errnoCode } from './errno.ts';

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR']);

type Identity = `${bigint}:${bigint}` | 'gone' | 'unknown';

/**
 * Identifies the file at a path by device and inode. An open file keeps them, so no other file can have them.
 * `unknown` means that the system did not tell: a failing disk, or too many open files.
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
  /** The first path that certainly points to another file than before, or to none. */
  readonly findLost: () => string | undefined;
  /** Whether every path certainly points to the same file as before. */
  readonly areSame: () => boolean;
};

/** Remembers which files are at these paths now. `identify` is a parameter for tests. */
export function watchFiles(
  paths: readonly string[],
  identify: (path: string) => Identity = fileIdentity,
): WatchedFiles {
  const before = paths.map((path) => [path, identify(path)] as const);
  const isLost = (path: string, identityBefore: Identity): boolean => {
    const identityNow = identify(path);
    return (
      identityNow !== identityBefore && identityNow !== 'unknown' && identityBefore !== 'unknown'
    );
  };
  return {
    findLost: () => before.find(([path, identityBefore]) => isLost(path, identityBefore))?.[0],
    areSame: () =>
      before.every(
        ([path, identityBefore]) =>
          identityBefore !== 'unknown' && identify(path) === identityBefore,
      ),
  };
}
