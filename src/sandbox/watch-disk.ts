/** Watches what a sandbox takes of the disk, by name and without, and what is left for everybody else. */
import type { Clock } from '../base/clock.ts';
import { diskSpace } from '../host/files/disk-space.ts';
import { diskUse } from '../host/files/disk-use.ts';
import { deletedFilesUse } from '../host/files/deleted-files.ts';
import type { DiskCount } from './decide-disk.ts';
import { decideDisk, NO_DOUBT } from './decide-disk.ts';
import type { SandboxPause } from './pause-sandbox.ts';
import type { SandboxPolicy } from './policy.ts';
import { policyMounts } from './policy.ts';

/** Below this nothing of ours goes on writing, since the journal and everything else here needs room too. A small disk has less. */
const FREE_BYTES_MIN = 200_000_000;
const FREE_SHARE_MIN = 0.02;

/** A look is due when a fast disk could be filled up to the limit, within these bounds. */
const DISK_BYTES_PER_S = 1_000_000_000;
const LOOK_MS_MIN = 100;
const LOOK_MS_MAX = 2000;
/** So much longer than a look took is waited before the next, so that looking stays cheap. */
const LOOK_SHARE = 4;
/** The same for the time that the sandbox was held still: it runs nine tenths of the time at least. */
const HELD_SHARE = 9;

/** How long until the next look, when so much is left and the last look took so long. */
export function nextLookMs(leftBytes: number, lookMs: number): number {
  const tillFull = (leftBytes / DISK_BYTES_PER_S) * 1000;
  return Math.max(LOOK_MS_MIN, lookMs * LOOK_SHARE, Math.min(LOOK_MS_MAX, tillFull));
}

/**
 * Resolves with the limit that was passed, or undefined once the signal says that it is over. `roots`
 * are the processes whose descendants may hold files that have no name any more, and `hold` holds
 * the sandbox still when counts without that can't be trusted.
 */
export async function watchDisk(
  policy: SandboxPolicy,
  scratch: string,
  roots: () => Promise<readonly number[]>,
  hold: Pick<SandboxPause, 'during'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<'disk-limit' | 'disk-full' | undefined> {
  const written = policyMounts(policy).flatMap(({ from, mode }) => (mode === 'rw' ? [from] : []));
  const folders = [...written, scratch]; // HOME lies in the scratch folder where none is kept
  const bytesMax = policy.limits.diskBytes;
  const count = async (bytesMost: number, until: AbortSignal): Promise<Omit<DiskCount, 'held'>> => {
    const named = await diskUse(folders, bytesMost, until);
    if (named.bytes > bytesMost || named.uncounted !== null) return named;
    return { ...named, bytes: named.bytes + (await deletedFilesUse(await roots(), folders)) };
  };
  let waitMs = nextLookMs(bytesMax ?? Infinity, 0);
  let doubt = NO_DOUBT;
  while (await clock.sleep(waitMs, signal)) {
    if (await isNearlyFull(folders)) return 'disk-full';
    if (bytesMax === null) continue;
    const begun = clock.elapsedMs();
    let heldMs = 0;
    let counted: DiskCount = { ...(await count(bytesMax, signal)), held: 'none' };
    let verdict = decideDisk(counted, bytesMax, doubt);
    if (verdict.kind === 'hold') {
      const heldFrom = clock.elapsedMs();
      const look = await hold.during((until) => count(bytesMax, until));
      heldMs = clock.elapsedMs() - heldFrom;
      if (look !== undefined) {
        counted = { ...look.found, held: look.held };
        verdict = decideDisk(counted, bytesMax, verdict.doubt);
      }
    }
    if (verdict.kind === 'over') return over(signal);
    doubt = verdict.doubt;
    const lookMs = clock.elapsedMs() - begun;
    waitMs = Math.max(nextLookMs(bytesMax - counted.bytes, lookMs), heldMs * HELD_SHARE);
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
