/**
 * Stores how gates have judged a base, for later runs on the same base. Each result is a small file whose name stands
 * for everything that decides. A result is used for a day: what its name can't stand for may change.
 */
import { join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../../host/files/atomic-files.ts';
import { listFiles } from '../../host/files/list-folder.ts';
import { readSmallFile, removeFile } from '../../host/files/read-text-file.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';

type StoredBaseline = {
  readonly version: 1;
  readonly key: string;
  readonly atMs: number;
  readonly outcome: GateOutcome;
};

const AGE_MS_MAX = 24 * 3_600_000;
const STORED_MAX = 500;
const BYTES_MAX = 100_000;

export function baselinesDir(home: string): string {
  return join(home, 'baselines');
}

/** Undefined: no run has judged this, or too long ago. A damaged file counts as absent. */
export async function findBaseline(
  home: string,
  key: string,
  nowMs: number,
): Promise<GateOutcome | undefined> {
  return (await findStored(home, key, nowMs, AGE_MS_MAX))?.outcome;
}

/** The same, with the time of the result, if that is younger than `ageMsMax`. */
export async function findStored(
  home: string,
  key: string,
  nowMs: number,
  ageMsMax: number,
): Promise<Pick<StoredBaseline, 'atMs' | 'outcome'> | undefined> {
  const read = await readSmallFile(fileOf(home, key), BYTES_MAX);
  const found = read.kind === 'text' ? parseJson(read.text) : undefined;
  if (!isRecord(found) || found['version'] !== 1 || found['key'] !== key) return undefined;
  const { atMs, outcome } = found as unknown as StoredBaseline;
  // A clock that was set back must not keep a result for longer.
  const isFresh = atMs <= nowMs && nowMs - atMs < ageMsMax;
  return isFresh && isRecord(outcome) ? { atMs, outcome } : undefined;
}

/** Also removes results that are too old or too many. A gate that could not run, or ran out of time, is not stored. */
export async function storeBaseline(
  home: string,
  key: string,
  outcome: GateOutcome,
  nowMs: number,
): Promise<void> {
  if (!isLasting(outcome)) return;
  await ensurePrivateDir(baselinesDir(home));
  const stored: StoredBaseline = { version: 1, key, atMs: nowMs, outcome };
  await writeFileAtomic(fileOf(home, key), `${JSON.stringify(stored)}\n`);
  const files = (await listFiles(baselinesDir(home))).toSorted((a, b) => b.writtenMs - a.writtenMs);
  const newestMs = files[0]?.writtenMs ?? 0;
  for (const [place, { name, writtenMs }] of files.entries())
    if (place >= STORED_MAX || newestMs - writtenMs > AGE_MS_MAX)
      await removeFile(join(baselinesDir(home), name));
}

/** Whether the same files would be judged in the same way again. */
function isLasting(outcome: GateOutcome): boolean {
  if (outcome.kind === 'unable') return false;
  return outcome.kind === 'passed' || (outcome.exit !== null && outcome.timedOut !== true);
}

function fileOf(home: string, key: string): string {
  return join(baselinesDir(home), `${key}.json`);
}
