/**
 * Watches the disk use of a sandbox, deleted but open files included, and the free space that is left for everything
 * else.
 */
import type { Clock } from '../base/clock.ts';
import { diskSpace } from '../host/files/disk-space.ts';
import { diskUse } from '../host/files/disk-use.ts';
import { deletedFilesUse } from '../host/files/deleted-files.ts';
import type { DiskCount } from './decide-disk.ts';
import { decideDisk, NO_DOUBT } from './decide-disk.ts';
import type { SandboxPause } from './pause-sandbox.ts';
import type { SandboxPolicy } from './policy.ts';
import { policyMounts } from './policy.ts';

/**
 * Below this much free space the sandbox is stopped, because the journal and everything else need room too. On a
 * small disk the share below applies.
 */
const FREE_BYTES_MIN = 200_000_000;
const FREE_SHARE_MIN = 0.02;

/** The next count is due when a fast disk could have reached the limit, within these bounds. */
const DISK_BYTES_PER_S = 1_000_000_000;
const COUNT_INTERVAL_MS_MIN = 100;
const COUNT_INTERVAL_MS_MAX = 2000;
/** The wait before the next count, as a multiple of how long the last one took. It keeps counting cheap. */
const COUNT_PAUSE_FACTOR = 4;
/** The same for the time that the sandbox was paused: it runs at least nine tenths of the time. */
const HELD_PAUSE_FACTOR = 9;

/** The wait before the next count, with this much space left and a last count that took this long. */
function nextCountMs(leftBytes: number, countMs: number): number {
  const tillFull = (leftBytes / DISK_BYTES_PER_S) * 1000;
  return Math.max(
    COUNT_INTERVAL_MS_MIN,
    countMs * COUNT_PAUSE_FACTOR,
    Math.min(COUNT_INTERVAL_MS_MAX, tillFull),
  );
}

/**
 * Resolves with the limit that was exceeded, or with undefined once the signal aborts. `roots` are the processes
 * whose descendants may hold deleted files open. `hold` pauses the sandbox if counts without a pause cannot be
 * trusted.
 */
export async function watchDisk(
  policy: SandboxPolicy,
  scratch: string,
  roots: () => Promise<readonly number[]>,
  pause: Pick<SandboxPause, 'during'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<'disk-limit' | 'disk-full' | undefined> {
  const written = policyMounts(policy).flatMap(({ from, mode }) => (mode === 'rw' ? [from] : []));
  const folders = [...written, scratch]; // HOME is in the scratch folder if the policy names none
  const bytesMax = policy.limits.diskBytes;
  const count = async (
    bytesMost: number,
    countSignal: AbortSignal,
  ): Promise<Omit<DiskCount, 'held'>> => {
    const named = await diskUse(folders, bytesMost, countSignal);
    if (named.bytes > bytesMost || named.uncounted !== null) return named;
    return { ...named, bytes: named.bytes + (await deletedFilesUse(await roots(), folders)) };
  };
  let waitMs = nextCountMs(bytesMax ?? Infinity, 0);
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
      const paused = await pause.during((countSignal) => count(bytesMax, countSignal));
      heldMs = clock.elapsedMs() - heldFrom;
      if (paused !== undefined) {
        counted = { ...paused.found, held: paused.held };
        verdict = decideDisk(counted, bytesMax, verdict.doubt);
      }
    }
    if (verdict.kind === 'over') return limitUnlessEnded(signal);
    doubt = verdict.doubt;
    const countMs = clock.elapsedMs() - begun;
    waitMs = Math.max(nextCountMs(bytesMax - counted.bytes, countMs), heldMs * HELD_PAUSE_FACTOR);
  }
  return undefined;
}

/** At its end a sandbox is removed, and the missing files must not count as uncountable. */
function limitUnlessEnded(signal: AbortSignal): 'disk-limit' | undefined {
  return signal.aborted ? undefined : 'disk-limit';
}

async function isNearlyFull(folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const space = await diskSpace(folder);
    if (space === undefined || space.totalBytes === undefined) continue;
    const minimum = Math.min(FREE_BYTES_MIN, space.totalBytes * FREE_SHARE_MIN);
    if (space.freeBytes < minimum) return true;
  }
  return false;
}
