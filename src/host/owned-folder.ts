import { chown, mkdir } from 'node:fs/promises';
import type { UserNumber } from './reach.ts';

/** Makes a folder that is not there yet, for that user alone; root gives it away, others can only be themselves. */
export async function ensureFolderOf(path: string, { uid, gid }: UserNumber): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined && process.geteuid?.() === 0) await chown(path, uid, gid);
}
