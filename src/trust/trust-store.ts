/**
 * What the user has trusted, in their own home: one file for each project, with the hash of its folder and the
 * texts that were trusted, so that a later change can be shown as a difference.
 */
import { join } from 'node:path';
import type { Instant } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { hashText } from '../base/hash-text.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { readTextFile, removeFile } from '../host/files/read-text-file.ts';
import type { ProjectFolder, TrustedEntry } from './project-folder.ts';
import { toTrustedEntries } from './project-folder.ts';
import { entryText } from './text-of.ts';

export type TrustRecord = {
  readonly version: 1;
  /** With no link in it. */
  readonly project: string;
  readonly hash: string;
  readonly trustedAt: Instant;
  readonly entries: readonly (TrustedEntry & { readonly text?: string })[];
};

const RECORD_BYTES_MAX = 64_000_000;
/** A longer text is compared by its hash alone. */
const TEXT_BYTES_MAX = 256_000;

/** Undefined where the user has trusted nothing there, or the record is damaged. */
export async function readTrust(home: string, project: string): Promise<TrustRecord | undefined> {
  const record = readRecord(await readTextFile(fileOf(home, project), RECORD_BYTES_MAX));
  return record?.project === project ? record : undefined;
}

export async function writeTrust(
  home: string,
  project: string,
  { entries, hash }: ProjectFolder,
  trustedAt: Instant,
): Promise<void> {
  const kept = entries.map((entry) => {
    const text = entryText(entry, TEXT_BYTES_MAX);
    return { ...toTrustedEntries(entry), ...(text === undefined ? {} : { text }) };
  });
  const record: TrustRecord = { version: 1, project, hash, trustedAt, entries: kept };
  await ensurePrivateDir(join(home, 'trust'));
  await writeFileAtomic(fileOf(home, project), JSON.stringify(record));
}

/** Whether there was something to take back. */
export async function removeTrust(home: string, project: string): Promise<boolean> {
  const file = fileOf(home, project);
  const was = (await readTextFile(file, 0)) !== undefined;
  await removeFile(file);
  return was;
}

/** By path. */
export async function listTrust(home: string): Promise<readonly TrustRecord[]> {
  const folder = join(home, 'trust');
  const records: TrustRecord[] = [];
  for (const name of await listFolder(folder)) {
    const record = readRecord(await readTextFile(join(folder, name), RECORD_BYTES_MAX));
    if (record !== undefined) records.push(record);
  }
  return records.toSorted((a, b) => (a.project < b.project ? -1 : 1));
}

function fileOf(home: string, project: string): string {
  return join(home, 'trust', `${hashText(project).slice(0, 32)}.json`);
}

function readRecord(text: string | undefined): TrustRecord | undefined {
  const found = parseJson(text ?? '');
  if (!isRecord(found) || found['version'] !== 1 || !Array.isArray(found['entries']))
    return undefined;
  const { project, hash, trustedAt } = found;
  const isWhole =
    typeof project === 'string' && typeof hash === 'string' && typeof trustedAt === 'number';
  return isWhole ? (found as TrustRecord) : undefined;
}
