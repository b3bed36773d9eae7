/**
 * Finds deleted files that still take disk space, because a process has them open or mapped. No folder lists them, so
 * they are found through the processes.
 */
import type { Stats } from 'node:fs';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { yieldToEventLoop } from '../machine/yield-to-event-loop.ts';
import { takeSnapshot } from '../process/process-snapshot.ts';
import { findDescendants } from '../process/process-tree.ts';

/**
 * How many bytes such files take on the disks of these folders, if these processes or their descendants hold them.
 */
export async function deletedFilesUse(
  roots: readonly number[],
  folders: readonly string[],
): Promise<number> {
  const disks = new Set(folders.flatMap((folder) => tryStat(folder)?.dev ?? []));
  const seen = new Map<string, number>();
  const count = (dev: number, ino: number, bytes: number): void => {
    const id = `${dev}:${ino}`;
    seen.set(id, Math.max(seen.get(id) ?? 0, bytes));
  };
  for (const { pid } of findDescendants(roots, await takeSnapshot(Infinity))) {
    for (const fd of listEntries(`/proc/${pid}/fd`)) {
      const found = tryStat(`/proc/${pid}/fd/${fd}`);
      if (found?.nlink === 0 && found.isFile() && disks.has(found.dev))
        count(found.dev, found.ino, found.blocks * 512);
    }
    for (const { range, dev, ino, bytes } of deletedMaps(pid)) {
      if (!disks.has(dev)) continue;
      // Only root may follow this link. Without it, the mapped size is used.
      const found = tryStat(`/proc/${pid}/map_files/${range}`);
      count(dev, ino, found?.ino === ino ? found.blocks * 512 : bytes);
    }
    await yieldToEventLoop();
  }
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
}

type DeletedMap = {
  readonly range: string;
  readonly dev: number;
  readonly ino: number;
  readonly bytes: number;
};

/** `start-end perms offset major:minor inode path (deleted)` */
function deletedMaps(pid: number): readonly DeletedMap[] {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/maps`, 'latin1');
  } catch {
    return []; // the process ended, or we may not read it
  }
  return text.split('\n').flatMap((line) => {
    if (!line.endsWith(' (deleted)')) return [];
    const [range = '', , , device = '', ino = '0'] = line.split(/ +/);
    const [start = '0', end = '0'] = range.split('-');
    const [major = '0', minor = '0'] = device.split(':');
    const bytes = Number.parseInt(end, 16) - Number.parseInt(start, 16);
    return [
      {
        range,
        dev: encodeDevice(Number.parseInt(major, 16), Number.parseInt(minor, 16)),
        ino: Number(ino),
        bytes,
      },
    ];
  });
}

/** Encodes a device number as stat does on Linux. */
function encodeDevice(major: number, minor: number): number {
  return (minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12);
}

function listEntries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the process ended, or we may not read it
  }
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined; // the process ended, or we may not read it
  }
}
