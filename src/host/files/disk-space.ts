import { statfs } from 'node:fs/promises';

export type DiskSpace = {
  /** What our user may still write; the part that is kept for root is not counted. */
  readonly freeBytes: number;
  readonly totalBytes?: number;
  /** How many files can still be made, where the file system sets a number. */
  readonly freeFiles?: number;
  /** Whether the files are on another machine, as far as the system says it. */
  readonly isRemote: boolean;
};

/** The numbers by which Linux names the file systems of other machines: NFS, SMB (three), 9p, AFS, Ceph. */
const REMOTE_TYPES = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f, 0x00c36400,
]);

/** About the disk under a path that exists; undefined where the system will not say. */
export async function diskSpace(path: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize, type, files, ffree } = await statfs(path);
    const isRemote = process.platform === 'linux' && REMOTE_TYPES.has(type >>> 0);
    const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
    return { freeBytes, totalBytes, isRemote, ...(files > 0 ? { freeFiles: ffree } : {}) };
  } catch {
    return undefined; // not there, or a file system that keeps no count
  }
}
