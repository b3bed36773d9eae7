/** Watches what a sandbox takes of the disk, by name and without, and what is left for everybody else. */
import type { Clock } from '../base/clock.ts';
import { diskSpace } from '../host/disk-space.ts';
import { diskUse } from '../host/disk-use.ts';
import { deletedUse } from '../host/open-deleted.ts';
import type { SandboxPolicy } from './policy.ts';
import { mountsOf } from './policy.ts';

/** Below this nothing of ours goes on writing, since the journal and everything else here needs room too. A small disk has less. */
const FREE_BYTES_MIN = 200_000_000;
const FREE_SHARE_MIN = 0.02;

/** A look is due when a fast disk could be filled up to the limit, within these bounds. */
const DISK_BYTES_PER_S = 1_000_000_000;
const LOOK_MS_MIN = 100;
const LOOK_MS_MAX = 2000;
/** So much longer than a look took is waited before the next, so that looking stays cheap. */
const LOOK_SHARE = 4;

/** How long until the next look, when so much is left and the last look took so long. */
export function nextLookMs(leftBytes: number, lookMs: number): number {
  const tillFull = (leftBytes / DISK_BYTES_PER_S) * 1000;
  return Math.max(LOOK_MS_MIN, lookMs * LOOK_SHARE, Math.min(LOOK_MS_MAX, tillFull));
}

/**
 * Resolves with the limit that was passed, or undefined once the signal says that it is over. `roots`
 * are the processes whose descendants may hold files that have no name any more.
 */
export async function watchDisk(
  policy: SandboxPolicy,
  scratch: string,
  roots: () => Promise<readonly number[]>,
  clock: Clock,
  signal: AbortSignal,
): Promise<'disk-limit' | 'disk-full' | undefined> {
  const written = mountsOf(policy).flatMap(({ from, mode }) => (mode === 'rw' ? [from] : []));
  const folders = [...written, scratch]; // HOME lies in the scratch folder where none is kept
  const bytesMax = policy.limits.diskBytes;
  let waitMs = nextLookMs(bytesMax ?? Infinity, 0);
  while (await clock.sleep(waitMs, signal)) {
    if (await isNearlyFull(folders)) return 'disk-full';
    if (bytesMax === null) continue;
    const begun = clock.elapsedMs();
    const named = await diskUse(folders, bytesMax, signal);
    // What can't be counted may be anything.
    if (named.bytes > bytesMax || named.uncounted !== null) return over(signal);
    const bytes = named.bytes + (await deletedUse(await roots(), folders));
    if (bytes > bytesMax) return over(signal);
    waitMs = nextLookMs(bytesMax - bytes, clock.elapsedMs() - begun);
  }
  return undefined;
}

/** What ends is cleared away, which must not be taken for something that can't be counted. */
function over(signal: AbortSignal): 'disk-limit' | undefined {
  return signal.aborted ? undefined : 'disk-limit';
}

async function isNearlyFull(folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const space = await diskSpace(folder);
    if (space === undefined || space.totalBytes === undefined) continue;
    const least = Math.min(FREE_BYTES_MIN, space.totalBytes * FREE_SHARE_MIN);
    if (space.freeBytes < least) return true;
  }
  return false;
}
