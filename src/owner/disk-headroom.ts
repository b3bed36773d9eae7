/** Refuses a new run if the disk is nearly full, because the running runs need space to end. */
import { Refusal } from '../base/errors.ts';
import type { DiskSpace } from '../host/files/disk-space.ts';
import { diskSpace } from '../host/files/disk-space.ts';
import type { Settings } from '../settings/settings.ts';

/** Enough files for the tree of a typical project and the records of its run. */
const FREE_FILES_MIN = 10_000;

type DiskLimits = Pick<Settings['limits'], 'diskFreeBytes'>;

/**
 * Describes how much space is free. Refuses with `store.full` if it is too little. Accepts a file
 * system that reports no free space.
 */
export async function requireDiskHeadroom(dir: string, limits: DiskLimits): Promise<string> {
  const space = await diskSpace(dir);
  const refusal = diskHeadroomRefusal(space, limits, dir);
  if (refusal !== undefined) throw refusal;
  return space === undefined ? 'free space is unknown' : `${inMegabytes(space.freeBytes)} free`;
}

export function diskHeadroomRefusal(
  space: DiskSpace | undefined,
  { diskFreeBytes }: DiskLimits,
  dir: string,
): Refusal | undefined {
  if (space === undefined || diskFreeBytes === 0) return undefined;
  if (space.freeBytes < diskFreeBytes)
    return tooLittleSpace(
      `${inMegabytes(space.freeBytes)} are free`,
      inMegabytes(diskFreeBytes),
      dir,
    );
  if ((space.freeFiles ?? Infinity) < FREE_FILES_MIN)
    return tooLittleSpace(`${space.freeFiles} more files can be created`, `${FREE_FILES_MIN}`, dir);
  return undefined;
}

function tooLittleSpace(available: string, needed: string, dir: string): Refusal {
  return new Refusal({
    code: 'store.full',
    message: `Only ${available} in ${dir}, and a new run needs ${needed}. No run was started.`,
    hint: 'Free some space, for example with: supervisor runs prune. The required space is limits.disk_free.',
  });
}

function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
