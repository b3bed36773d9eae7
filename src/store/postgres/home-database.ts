/**
 * Which database a home keeps its journal in, if it is one of PostgreSQL. Every later owner of the home uses the same,
 * whatever starts it, so the address is recorded in the home: without a password, because a file is no place for one.
 */
import { randomUUID } from 'node:crypto';
import { Refusal } from '../../base/errors.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { readSmallFile } from '../../host/files/read-text-file.ts';
import type { Home } from '../../host/machine/state-home.ts';
import type { DatabaseAddress } from './database-address.ts';
import { databaseAddress } from './database-address.ts';

const FILE_BYTES_MAX = 10_000;

/** The address that a person names. Refuses one with a password, which other users could read in the list of processes. */
export function namedDatabase(url: string): DatabaseAddress {
  const address = databaseAddress(url);
  if (!address.hasPassword) return address;
  throw new Refusal({
    code: 'usage.invalid',
    message: `The address of the ${address.text} has a password in it, which other users of this machine can read in the list of processes.`,
    hint: 'Leave it out of the address. Write it to ~/.pgpass (mode 600), or set PGPASSFILE or PGPASSWORD.',
  });
}

export type HomeDatabase = {
  readonly address: DatabaseAddress;
  /** Names the home in the database. A random number, because two machines may have homes with the same path. */
  readonly homeId: string;
};

/** Undefined: the journal of this home is a file. */
export async function findDatabase({
  dir,
  database,
}: Pick<Home, 'dir' | 'database'>): Promise<HomeDatabase | undefined> {
  const file = await readSmallFile(database, FILE_BYTES_MAX);
  if (file.kind === 'absent') return undefined;
  const content = file.kind === 'text' ? parseJson(file.text) : undefined;
  const { url, home } = isRecord(content) ? content : {};
  if (typeof url === 'string' && typeof home === 'string')
    return { address: databaseAddress(url), homeId: home };
  throw new Refusal({
    code: 'home.unusable',
    message: `${database} does not say which database has the journal of ${dir}.`,
    hint: 'Delete the file, and name the database again: supervisor up --detach --db URL --take-over',
    details: { path: database },
  });
}

/** For a home that has no database yet. */
export function newHomeId(): string {
  return randomUUID();
}

/** Where a home keeps its name in the database that its journal is being moved to. */
export function movePath({ database }: Pick<Home, 'database'>): string {
  return `${database}.moving`;
}

/**
 * The name of a home in the database that its journal is being moved to. It is written down before the move, so that a
 * move that was cut off knows its own facts again, and takes those of no other home for them.
 */
export async function homeIdForMove(
  home: Pick<Home, 'database'>,
  { named }: DatabaseAddress,
): Promise<string> {
  const path = movePath(home);
  const file = await readSmallFile(path, FILE_BYTES_MAX);
  const content = file.kind === 'text' ? parseJson(file.text) : undefined;
  const { url, home: begun } = isRecord(content) ? content : {};
  if (url === named && typeof begun === 'string') return begun;
  const homeId = newHomeId();
  await writeFileAtomic(path, `${JSON.stringify({ url: named, home: homeId }, null, 2)}\n`);
  return homeId;
}

/** From now on the journal of this home is in that database. */
export async function recordDatabase(
  { database }: Pick<Home, 'database'>,
  { address, homeId }: HomeDatabase,
): Promise<void> {
  const content = { url: address.named, home: homeId };
  await writeFileAtomic(database, `${JSON.stringify(content, null, 2)}\n`);
}
