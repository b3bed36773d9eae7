/**
 * The people who may approve changes of high risk. Each has a secret, of which only a slow hash is stored: a copy of
 * the file approves nothing. Agents cannot read the folder, because no sandbox contains it.
 */
import { join } from 'node:path';
import type { Instant } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { Serial } from '../base/serial.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { hashSecret, isSecretOf } from '../host/machine/secret-hash.ts';
import { ApproverFile } from '../protocol/approver.ts';
import type { Approver } from '../protocol/approver.ts';
import { countGuess, forgetGuesses } from './secret-guesses.ts';
import { nearest } from '../yaml/nearest.ts';

const FILE = 'approvers.json';
const FILE_BYTES_MAX = 1_000_000;
const APPROVERS_MAX = 1000;
const SECRET_CHARS_MIN = 12;

/** Sorted by name. */
export async function listApprovers(home: string): Promise<readonly Approver[]> {
  const text = await readTextFile(join(home, FILE), FILE_BYTES_MAX);
  if (text === undefined) return [];
  const read = ApproverFile.safeParse(parseJson(text));
  if (read.success) return read.data.approvers;
  throw new Refusal({
    code: 'approver.unreadable',
    message: `${join(home, FILE)} is not a list of approvers. No change of high risk can be approved.`,
    hint: 'Restore the file from a backup, or delete it and add the approvers again.',
  });
}

export type NewApprover = {
  readonly name: string;
  readonly groups: readonly string[];
  readonly secret: string;
};

/** Replaces an approver of the same name only if `replaces` is set. */
export async function addApprover(
  home: string,
  { name, groups, secret }: NewApprover,
  addedAt: Instant,
  replaces: boolean,
): Promise<void> {
  const all = await listApprovers(home);
  if (!replaces && all.some((one) => one.name === name)) throw nameTaken(name);
  if (all.length >= APPROVERS_MAX) throw tooMany();
  if (secret.length < SECRET_CHARS_MIN) throw tooShort();
  const entry: Approver = { name, groups: [...groups], ...(await hashSecret(secret)), addedAt };
  await write(home, [...all.filter((one) => one.name !== name), entry]);
  await forgetGuesses(home, name);
}

/** Refuses an unknown name. */
export async function removeApprover(home: string, name: string): Promise<void> {
  const all = await listApprovers(home);
  if (!all.some((one) => one.name === name)) throw unknownApprover(name, all);
  await write(
    home,
    all.filter((one) => one.name !== name),
  );
}

/** One check at a time: guesses that arrive at once are counted one after the other. */
const checks = new Serial();

/**
 * The approver, if the secret is theirs. Refuses otherwise, with the same words for a wrong name and a wrong secret.
 * Refuses an approver who is locked after too many wrong ones.
 */
export function checkSecret(
  home: string,
  name: string,
  secret: string,
  now: Instant,
): Promise<Approver> {
  return checks.run(() => checkNext(home, name, secret, now));
}

async function checkNext(
  home: string,
  name: string,
  secret: string,
  now: Instant,
): Promise<Approver> {
  const all = await listApprovers(home);
  const found = all.find((one) => one.name === name);
  if (found !== undefined) await countGuess(home, name, now);
  if ((await isSecretOf(secret, found)) && found !== undefined) {
    await forgetGuesses(home, name);
    return found;
  }
  throw new Refusal({
    code: 'approver.wrong-secret',
    message: `This is not the secret of the approver ${name}.`,
    hint: 'List the approvers with: supervisor approver list',
  });
}

async function write(home: string, approvers: readonly Approver[]): Promise<void> {
  const sorted = approvers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await ensurePrivateDir(home);
  await writeFileAtomic(
    join(home, FILE),
    `${JSON.stringify({ version: 1, approvers: sorted }, null, 2)}\n`,
  );
}

function nameTaken(name: string): Refusal {
  return new Refusal({
    code: 'approver.name-taken',
    message: `There is an approver ${name} already.`,
    hint: 'To give them a new secret, add --replace.',
  });
}

function unknownApprover(name: string, all: readonly Approver[]): Refusal {
  const names = all.map((one) => one.name);
  const close = nearest(name, names);
  return new Refusal({
    code: 'approver.not-found',
    message: `There is no approver ${name}.`,
    hint:
      close === undefined
        ? 'List the approvers with: supervisor approver list'
        : `Did you mean ${close}?`,
  });
}

function tooShort(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `The secret has fewer than ${SECRET_CHARS_MIN} characters.`,
    hint: 'Use a longer one, or let Supervisor choose it: leave out --secret-stdin.',
  });
}

function tooMany(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `There are ${APPROVERS_MAX} approvers, and there can be no more.`,
    hint: 'Remove one with: supervisor approver remove NAME',
  });
}
