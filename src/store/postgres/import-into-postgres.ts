import type { Client } from 'pg';
import type { Pages } from '../transfer/journal-pages.ts';
import { findGap, refuseGap, ONLY_OWNERS } from '../transfer/imported-facts.ts';
import { notEmpty } from '../journal-refusals.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { OwnerFacts } from './owner-guard.ts';
import { OwnerGuard } from './owner-guard.ts';
import { refusalAtConnecting } from './postgres-errors.ts';
import type { Waits } from './postgres-session.ts';
import { PostgresSession, WAITS } from './postgres-session.ts';
import { arraysOfFacts, fencedTransaction, putFacts, rebuildRunRows } from './postgres-writer.ts';

type ImportOptions = {
  readonly address: DatabaseAddress;
  readonly owner: OwnerFacts;
  readonly waits?: Waits;
};

/** The last statements look at every fact. */
const STATEMENT_MS = 3_600_000;

/**
 * Writes these facts into the tables of a database, as its owner: all of them in one transaction, or none. `check` may
 * refuse after the last page. Refuses a database with runs, and one that has an owner.
 */
export async function importIntoPostgres(
  { address, owner, waits = WAITS }: ImportOptions,
  pages: Pages,
  check: () => void,
): Promise<void> {
  const { schema, text } = address;
  const guard = await OwnerGuard.take({
    ...{ address, owner, waits },
    signal: new AbortController().signal,
  });
  const session = new PostgresSession({
    ...{ address, waits: { ...waits, statementMs: STATEMENT_MS }, name: 'supervisor imports' },
  });
  try {
    const epoch = await guard.epoch();
    await session.together((client) =>
      fencedTransaction(client, { schema, epoch }, async () => {
        const { rows } = await client.query(
          `SELECT 1 FROM ${schema}.events WHERE NOT ${ONLY_OWNERS} LIMIT 1`,
        );
        if (rows.length > 0) throw notEmpty(`The ${text}`);
        for (const table of ['events', 'snapshots'])
          await client.query(`DELETE FROM ${schema}.${table}`);
        for await (const page of pages) await insert(client, schema, page);
        const gap = await client.query<{ stream: string }>(findGap(`${schema}.events`));
        refuseGap(gap.rows[0]?.stream);
        check();
        await rebuildRunRows(client, schema);
      }),
    );
  } catch (error) {
    throw refusalAtConnecting(error, text);
  } finally {
    await Promise.all([session.close(), guard.close()]);
  }
}

async function insert(
  client: Client,
  schema: string,
  lines: Parameters<typeof arraysOfFacts>[0]['lines'],
): Promise<void> {
  const payloads = lines.map(({ payload }) => JSON.stringify(payload));
  await client.query(putFacts(schema, 1), [...arraysOfFacts({ lines, payloads })]);
}
