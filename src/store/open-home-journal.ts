/** Opens the journal of a home for its owner: the file in the home, or the database that the home uses in its place. */
import { Refusal } from '../base/errors.ts';
import { machineName } from '../host/machine/machine.ts';
import type { Home } from '../host/machine/state-home.ts';
import type { Journal } from './journal.ts';
import type { DatabaseAddress } from './postgres/database-address.ts';
import {
  findDatabase,
  namedDatabase,
  newHomeId,
  recordDatabase,
} from './postgres/home-database.ts';
import type { OwnerFacts } from './postgres/owner-guard.ts';
import { PostgresJournal } from './postgres/postgres-journal.ts';
import type { Waits } from './postgres/postgres-session.ts';
import { WAITS } from './postgres/postgres-session.ts';
import { hasHistory } from './sqlite/has-history.ts';
import { SqliteJournal } from './sqlite/sqlite-journal.ts';

export type HomeJournal = {
  readonly journal: Journal;
  /** The file that has to stay the same while the owner lives. */
  readonly file: string;
  /** Why this owner may write no more: another one has the database. Undefined: it may. */
  readonly superseded: () => Refusal | undefined;
};

/** What a person says about the database. */
export type DatabaseWish = {
  /** Absent: the home says where its journal is. */
  readonly url?: string;
  /** Take a database whose runs belong to another home. */
  readonly takesOver?: boolean;
  /** How long a database that is away is waited for. Absent: as long as a restart or a failover takes. */
  readonly waits?: Waits;
};

/**
 * The caller holds the lock of the home. A home that keeps its journal elsewhere refuses the database that is wished,
 * because its runs would seem to be gone.
 */
export async function openHomeJournal(
  home: Home,
  { url, takesOver = false, waits = WAITS }: DatabaseWish,
  owner: Omit<OwnerFacts, 'host' | 'home' | 'homeId'>,
): Promise<HomeJournal> {
  const named = url === undefined ? undefined : namedDatabase(url);
  const recorded = await findDatabase(home);
  if (named !== undefined && recorded !== undefined && named.named !== recorded.address.named)
    throw otherJournal(home, `the ${recorded.address.text}`, named);
  const address = recorded?.address ?? named;
  if (address === undefined) {
    const journal = SqliteJournal.open(home.journal);
    return { journal, file: home.journal, superseded: () => undefined };
  }
  if (recorded === undefined && (await hasHistory(home.journal)))
    throw otherJournal(home, home.journal, address);
  const homeId = recorded?.homeId ?? newHomeId();
  const facts = { ...owner, host: machineName(), home: home.dir, homeId };
  const journal = await PostgresJournal.open({ address, owner: facts, takesOver, waits });
  if (recorded === undefined) await recordDatabase(home, { address, homeId });
  return { journal, file: home.database, superseded: () => journal.lost };
}

function otherJournal({ dir }: Home, where: string, named: DatabaseAddress): Refusal {
  return new Refusal({
    code: 'store.other-journal',
    message: `The journal of ${dir} is in ${where}, not in the ${named.text}.`,
    hint: 'Move it there: supervisor down, supervisor journal export FILE, supervisor journal import FILE --db URL. Or set SUPERVISOR_HOME to another folder.',
    details: { home: dir },
  });
}
