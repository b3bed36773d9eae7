/** What was installed where. It is on record before a settings file changes, so that it can always be undone. */
import { join } from 'node:path';
import { isRecord } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { HookCli } from './hook-target.ts';

export type HookRecord = {
  readonly cli: HookCli;
  readonly file: string;
  readonly command: string;
  /** The text that was inserted into the file. Null: the whole file is ours. */
  readonly piece: string | null;
  /** The file and these folders did not exist. */
  readonly created: boolean;
  readonly folders: readonly string[];
  readonly at: number;
};

const BYTES_MAX = 1_000_000;

export async function readHookRecords(home: string): Promise<readonly HookRecord[]> {
  const text = await readTextFile(recordsFile(home), BYTES_MAX);
  if (text === undefined) return [];
  const read: unknown = JSON.parse(text);
  return isRecord(read) && Array.isArray(read['hooks']) ? (read['hooks'] as HookRecord[]) : [];
}

export async function writeHookRecords(home: string, hooks: readonly HookRecord[]): Promise<void> {
  await ensurePrivateDir(home);
  await writeFileAtomic(recordsFile(home), `${JSON.stringify({ hooks }, null, 2)}\n`);
}

function recordsFile(home: string): string {
  return join(home, 'hooks.json');
}
