/** Reads the whole journal of a home that has it in a database. Takes no lock, and works while an owner is running. */
import { isRefusal } from '../../base/errors.ts';
import type { Home } from '../../host/machine/state-home.ts';
import type { EventRow } from '../event-row.ts';
import { EVENT_COLUMNS } from '../event-row.ts';
import type { JournalHealth } from '../facts-check.ts';
import { FactsCheck } from '../facts-check.ts';
import type { DatabaseAddress } from './database-address.ts';
import { findDatabase } from './home-database.ts';
import type { OwnerFacts } from './owner-guard.ts';
import { findHolder } from './owner-guard.ts';
import { PostgresReader } from './postgres-reader.ts';
import type { Waits } from './postgres-session.ts';

export type DatabaseHealth = {
  /** Where it is, for people. */
  readonly text: string;
  readonly journal: JournalHealth;
  /** Which process has it. Null: none has, or it cannot be told. */
  readonly owner: Pick<OwnerFacts, 'host' | 'pid'> | null;
};

const PAGE = 2000;
/** A person waits for the answer. */
const PROMPT: Waits = { connectMs: 5000, statementMs: 30_000, awayMs: 2000 };

/** Undefined: the journal of this home is a file. */
export async function checkDatabase(
  home: Pick<Home, 'dir' | 'database'>,
): Promise<DatabaseHealth | undefined> {
  let address: DatabaseAddress | undefined;
  try {
    address = (await findDatabase(home))?.address;
  } catch (error) {
    return { text: home.database, journal: unusable(error), owner: null };
  }
  if (address === undefined) return undefined;
  const { text } = address;
  let reader: PostgresReader | undefined;
  try {
    reader = await PostgresReader.open(address, PROMPT);
    const journal: JournalHealth = { kind: 'checked', ...(await checkFacts(reader, address)) };
    return { text, journal, owner: (await findHolder(address, reader)) ?? null };
  } catch (error) {
    return { text, journal: unusable(error), owner: null };
  } finally {
    await reader?.close();
  }
}

/** Anything else is a defect. */
function unusable(error: unknown): JournalHealth {
  if (!isRefusal(error)) throw error;
  return { kind: 'checked', facts: 0, problems: [error.message], runs: [] };
}

async function checkFacts(
  reader: PostgresReader,
  { schema }: DatabaseAddress,
): Promise<ReturnType<FactsCheck['result']>> {
  const check = new FactsCheck();
  for (let [stream, seq] = ['', 0]; ;) {
    const rows = (await reader.query(
      `SELECT ${EVENT_COLUMNS} FROM ${schema}.events
       WHERE (stream, seq) > ($1, $2) ORDER BY stream, seq LIMIT ${PAGE}`,
      [stream, seq],
    )) as EventRow[];
    for (const row of rows) check.add(row);
    const last = rows.at(-1);
    if (last === undefined) return check.result();
    [stream, seq] = [last.stream, last.seq];
  }
}
