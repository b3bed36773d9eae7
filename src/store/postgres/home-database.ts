/**
 * Which database a home keeps its journal in, if it is one of PostgreSQL. Every later owner of the home uses the same,
 * whatever starts it, so the address is recorded in the home: without a password, because a file is no place for one.
 */
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

/** Undefined: the journal of this home is a file. */
export async function findDatabase({
  dir,
  database,
}: Pick<Home, 'dir' | 'database'>): Promise<DatabaseAddress | undefined> {
  const file = await readSmallFile(database, FILE_BYTES_MAX);
  if (file.kind === 'absent') return undefined;
  const content = file.kind === 'text' ? parseJson(file.text) : undefined;
  const url = isRecord(content) ? content['url'] : undefined;
  if (typeof url === 'string') return databaseAddress(url);
  throw new Refusal({
    code: 'home.unusable',
    message: `${database} does not say which database has the journal of ${dir}.`,
    hint: 'Write it again, as: {"url": "postgres://user@host:5432/database"}',
    details: { path: database },
  });
}

/** From now on the journal of this home is in that database. */
export async function recordDatabase(
  { database }: Pick<Home, 'database'>,
  { named }: DatabaseAddress,
): Promise<void> {
  await writeFileAtomic(database, `${JSON.stringify({ url: named }, null, 2)}\n`);
}
