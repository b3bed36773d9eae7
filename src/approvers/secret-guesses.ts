/**
 * Counts wrong secrets, so that an approver's secret cannot be found by trying. After a few in a row the approver is
 * locked for a while, which the list of approvers shows. A guess is counted before it is checked: a crash makes none free.
 */
import { join } from 'node:path';
import type { Instant } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { formatDuration } from '../base/format-duration.ts';
import { parseJson } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { GuessFile } from '../protocol/approver.ts';
import type { Guesses } from '../protocol/approver.ts';

const FILE = 'approver-guesses.json';
const FILE_BYTES_MAX = 1_000_000;
/** So many wrong secrets in a row are allowed without a lock. */
export const FREE_GUESSES = 5;
const LOCK_MS = 60_000;
const LOCK_MS_MAX = 3_600_000;

export type GuessesByName = Readonly<Record<string, Guesses>>;

/** Each wrong secret after the free ones doubles the lock, up to an hour. Zero: no lock. */
export function lockMs(wrong: number): number {
  if (wrong < FREE_GUESSES) return 0;
  return Math.min(LOCK_MS_MAX, LOCK_MS * 2 ** (wrong - FREE_GUESSES));
}

/** When the approver may try again. Null: now. */
export function lockedUntil(guesses: Guesses | undefined, now: number): number | null {
  if (guesses === undefined) return null;
  const until = guesses.lastAt + lockMs(guesses.wrong);
  return until > now ? until : null;
}

/** A file that cannot be read refuses everything: it must not set the count to zero. */
export async function readGuesses(home: string): Promise<GuessesByName> {
  const text = await readTextFile(join(home, FILE), FILE_BYTES_MAX);
  if (text === undefined) return {};
  const read = GuessFile.safeParse(parseJson(text));
  if (read.success) return read.data.guesses;
  throw new Refusal({
    code: 'approver.unreadable',
    message: `${join(home, FILE)} is damaged. No approver can be checked.`,
    hint: 'Restore the file from a backup, or delete it, which also ends all locks.',
  });
}

/** Counts one guess for a known approver. Refuses while the approver is locked, also the right secret. */
export async function countGuess(home: string, name: string, now: Instant): Promise<void> {
  const all = await readGuesses(home);
  const before = Object.hasOwn(all, name) ? all[name] : undefined;
  const until = lockedUntil(before, now);
  if (before !== undefined && until !== null) throw locked(name, before.wrong, until - now);
  await write(home, { ...all, [name]: { wrong: (before?.wrong ?? 0) + 1, lastAt: now } });
}

/** The secret was right, or the approver has a new one. */
export async function forgetGuesses(home: string, name: string): Promise<void> {
  const { [name]: found, ...others } = await readGuesses(home);
  if (found !== undefined) await write(home, others);
}

async function write(home: string, guesses: GuessesByName): Promise<void> {
  await ensurePrivateDir(home);
  await writeFileAtomic(join(home, FILE), `${JSON.stringify({ version: 1, guesses }, null, 2)}\n`);
}

function locked(name: string, wrong: number, restMs: number): Refusal {
  return new Refusal({
    code: 'approver.locked',
    message: `${name} is locked for ${formatDuration(restMs)}, because ${wrong} wrong secrets were given in a row.`,
    hint: `If it was not ${name} who tried, give them a new secret, which ends the lock: supervisor approver add ${name} --replace`,
  });
}
