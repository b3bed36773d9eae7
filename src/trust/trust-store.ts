/**
 * Stores what the user trusts in their home: one file per project, with the hash of its folder and the
 * trusted texts, so that a later change can be shown as a diff.
 */
import { join } from 'node:path';
import type { Instant } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { hashText } from '../base/hash-text.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { readTextFile, removeFile } from '../host/files/read-text-file.ts';
import type { ProjectFolder, TrustedEntry } from './project-folder.ts';
import { toTrustedEntry } from './project-folder.ts';
import { entryText } from './text-of.ts';

export type TrustRecord = {
  readonly version: 1;
  /** The real path, without links. */
  readonly project: string;
  readonly hash: string;
  readonly trustedAt: Instant;
  readonly entries: readonly (TrustedEntry & { readonly text?: string })[];
};

const RECORD_BYTES_MAX = 64_000_000;
/** A longer text is compared only by its hash. */
const TEXT_BYTES_MAX = 256_000;

/** Undefined if the user has not trusted the project, or the record is damaged. */
export async function readTrust(home: string, project: string): Promise<TrustRecord | undefined> {
  const record = readRecord(await readTextFile(recordPath(home, project), RECORD_BYTES_MAX));
  return record?.project === project ? record : undefined;
}

export async function writeTrust(
  home: string,
  project: string,
  { entries, hash }: ProjectFolder,
  trustedAt: Instant,
): Promise<void> {
  const trusted = entries.map((entry) => {
    const text = entryText(entry, TEXT_BYTES_MAX);
    return { ...toTrustedEntry(entry), ...(text === undefined ? {} : { text }) };
  });
  const record: TrustRecord = { version: 1, project, hash, trustedAt, entries: trusted };
  await ensurePrivateDir(join(home, 'trust'));
  await writeFileAtomic(recordPath(home, project), JSON.stringify(record));
}

/** Returns whether there was a record. */
export async function removeTrust(home: string, project: string): Promise<boolean> {
  const file = recordPath(home, project);
  const existed = (await readTextFile(file, 0)) !== undefined;
  await removeFile(file);
  return existed;
}

/** Sorted by path. */
export async function listTrust(home: string): Promise<readonly TrustRecord[]> {
  const folder = join(home, 'trust');
  const records: TrustRecord[] = [];
  for (const name of await listFolder(folder)) {
    const record = readRecord(await readTextFile(join(folder, name), RECORD_BYTES_MAX));
    if (record !== undefined) records.push(record);
  }
  return records.toSorted((a, b) => (a.project < b.project ? -1 : 1));
}

function recordPath(home: string, project: string): string {
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
