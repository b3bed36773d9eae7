/**
 * The file with facts about the owner, for people and for other processes. Its time says until when the owner was
 * alive, because an owner that is killed can't record that.
 */
import type { Clock } from '../base/clock.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import { fileTime, setFileTime } from '../host/files/file-time.ts';
import { homeError } from '../host/machine/require-usable-home.ts';
import type { Home } from '../host/machine/state-home.ts';
import type { Journal } from '../store/journal.ts';

/** How exactly the end of an owner that was killed is known. */
const MARK_MS = 30_000;

export async function writeOwnerFile({ dir, ownerFile }: Home, facts: object): Promise<void> {
  try {
    await writeFileAtomic(ownerFile, `${JSON.stringify(facts, null, 2)}\n`);
  } catch (error) {
    throw homeError(dir, error) ?? error;
  }
}

/** Marks the file until `signal` aborts. */
export async function markAlive(
  clock: Clock,
  { ownerFile }: Home,
  signal: AbortSignal,
): Promise<void> {
  do setFileTime(ownerFile, clock.now());
  while (await clock.sleep(MARK_MS, signal));
}

/**
 * When the owner before this one was last alive: the time of its last fact or of its file, whichever is later. Call it
 * before this owner writes either. Undefined: there was none, or the clock was set back since.
 */
export async function lastAlive(
  journal: Pick<Journal, 'lastId' | 'readBack'>,
  { ownerFile }: Home,
  now: number,
): Promise<number | undefined> {
  const [last] = await journal.readBack((await journal.lastId()) + 1, 1);
  if (last === undefined) return undefined;
  const times = [last.at, fileTime(ownerFile) ?? 0].filter((at) => at <= now);
  return times.length === 0 ? undefined : Math.max(...times);
}
