import { statfs } from 'node:fs/promises';

export type DiskSpace = {
  /** What our user may still write, without the space reserved for root. */
  readonly freeBytes: number;
  readonly totalBytes?: number;
  /** How many files can still be created, if the file system has a limit. */
  readonly freeFiles?: number;
  /** Whether the files are on another machine, as far as the system reports it. */
  readonly isRemote: boolean;
};

/** The type numbers of Linux for network file systems: NFS, SMB (three), 9p, AFS, Ceph. */
const REMOTE_TYPES = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f, 0x00c36400,
]);

/** The space on the disk of an existing path. Undefined if the system does not report it. */
export async function diskSpace(path: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize, type, files, ffree } = await statfs(path);
    const isRemote = process.platform === 'linux' && REMOTE_TYPES.has(type >>> 0);
    const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
    return { freeBytes, totalBytes, isRemote, ...(files > 0 ? { freeFiles: ffree } : {}) };
  } catch {
    return undefined; // the path does not exist, or the file system does not count
  }
}
