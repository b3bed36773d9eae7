/** Whether there is room for one more run: on a full disk the runs under way must still be able to end. */
import { Refusal } from '../base/errors.ts';
import type { DiskSpace } from '../host/files/disk-space.ts';
import { diskSpace } from '../host/files/disk-space.ts';
import type { Settings } from '../settings/settings.ts';

/** A tree of a usual project, and what its run keeps beside it. */
const FREE_FILES_LEAST = 10_000;

type Floor = Pick<Settings['limits'], 'diskFreeBytes'>;

/** In words, how much is free. Refuses with `store.full`; a file system that keeps no count has room. */
export async function requireDiskHeadroom(dir: string, floor: Floor): Promise<string> {
  const space = await diskSpace(dir);
  const refusal = diskHeadroomRefusal(space, floor, dir);
  if (refusal !== undefined) throw refusal;
  return space === undefined ? 'nobody knows what is free' : `${inMegabytes(space.freeBytes)} free`;
}

export function diskHeadroomRefusal(
  space: DiskSpace | undefined,
  { diskFreeBytes }: Floor,
  dir: string,
): Refusal | undefined {
  if (space === undefined || diskFreeBytes === 0) return undefined;
  if (space.freeBytes < diskFreeBytes)
    return noRoom(`${inMegabytes(space.freeBytes)} are free`, inMegabytes(diskFreeBytes), dir);
  if ((space.freeFiles ?? Infinity) < FREE_FILES_LEAST)
    return noRoom(`${space.freeFiles} more files can be made`, `${FREE_FILES_LEAST}`, dir);
  return undefined;
}

function noRoom(left: string, needed: string, dir: string): Refusal {
  return new Refusal({
    code: 'store.full',
    message: `Only ${left} in ${dir}, where a new run needs ${needed}. No run was begun.`,
    hint: 'Make room, such as with: supervisor runs prune. How much has to be free is limits.disk_free.',
  });
}

function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
