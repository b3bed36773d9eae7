/**
 * The statements that write. Each one checks the epoch of its owner, and holds the row with it until it is committed.
 * So a new owner waits for the last append of the old one, and no append comes after that.
 */
import type { Client } from 'pg';
import { checksumOfEvent } from '../checksum.ts';
import type { SnapshotCells } from '../checksum.ts';
import { findRequestKey } from '../event-row.ts';
import type { GroupPlan } from '../plan-group.ts';
import type { StoredRun } from '../run-projection.ts';
import { commitChannel } from './commit-watch.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { OwnerGuard } from './owner-guard.ts';
import { LostConnection, mayPassAgain } from './postgres-errors.ts';
import { arraysOfRuns, columnText, PostgresRuns, putRuns } from './postgres-runs.ts';
import type { Waits } from './postgres-session.ts';
import { PostgresSession, whileAway } from './postgres-session.ts';

type WriterOptions = {
  readonly address: DatabaseAddress;
  readonly waits: Waits;
  readonly guard: OwnerGuard;
  readonly signal: AbortSignal;
};

const FENCE = (schema: string): string =>
  `fence AS MATERIALIZED (SELECT epoch FROM ${schema}.owner WHERE epoch = $1 FOR SHARE)`;
const STREAMS_PAGE = 200;

export class PostgresWriter {
  readonly #options: WriterOptions;
  readonly #session: PostgresSession;
  readonly #append: string;
  readonly #save: string;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { address, waits } = options;
    const { schema } = address;
    this.#session = new PostgresSession({ address, waits, name: 'supervisor writes' });
    this.#append = `WITH ${FENCE(schema)},
      added AS (${putFacts(schema, 2, 'fence, ')}),
      put AS (${putRuns(schema, 11, 'fence, ')})
      SELECT count(*)::int AS held, pg_notify('${commitChannel(schema)}', $20) FROM fence`;
    this.#save = `WITH ${FENCE(schema)},
      saved AS (
        INSERT INTO ${schema}.snapshots AS old (stream, maker, seq, state, checksum)
        SELECT $2, $3, $4::bigint, $5, $6::bigint FROM fence
        ON CONFLICT (stream, maker) DO UPDATE SET
          seq = excluded.seq, state = excluded.state, checksum = excluded.checksum
        WHERE excluded.seq >= old.seq
      )
      SELECT count(*)::int AS held FROM fence`;
  }

  /** Writes all of a group or nothing of it. */
  async write(plan: GroupPlan): Promise<void> {
    const [first] = plan.lines;
    if (first === undefined) return;
    const lastId = String(plan.lines.at(-1)?.id);
    const values = [...arraysOfFacts(plan), ...arraysOfRuns(changedRuns(plan)), lastId];
    const checksum = checksumOfEvent({ ...first, payload: plan.payloads[0] ?? '' });
    await this.#fenced(this.#append, values, () => this.#isStored(first.id, checksum));
  }

  async saveSnapshot(
    { stream, maker, seq, state }: SnapshotCells,
    checksum: number,
  ): Promise<void> {
    // Saving one twice changes nothing.
    await this.#fenced(
      this.#save,
      [columnText(stream), maker, seq, state, checksum],
      async () => false,
    );
  }

  /** Computes every row of `runs` again, in one transaction. */
  async rebuildRuns(): Promise<void> {
    const { address, guard } = this.#options;
    const { schema } = address;
    const epoch = await guard.epoch();
    await this.#session.together((client) =>
      fencedTransaction(client, { schema, epoch }, () => rebuildRunRows(client, schema)),
    );
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /**
   * Runs a statement until it is known to have been written. A lost connection leaves that open: the guard then ends
   * what still runs, and `isWritten` looks.
   */
  async #fenced(
    sql: string,
    values: readonly unknown[],
    isWritten: () => Promise<boolean>,
  ): Promise<void> {
    const { address, waits, guard, signal } = this.#options;
    let isUnknown = false;
    await whileAway({ address, limitMs: waits.awayMs, signal }, async () => {
      if (isUnknown) {
        await guard.settle();
        if (await isWritten()) return;
        isUnknown = false;
      }
      const epoch = await guard.epoch();
      let rows: { readonly held: number }[];
      try {
        rows = await this.#session.query<{ held: number }>(sql, [epoch, ...values]);
      } catch (error) {
        if (mayPassAgain(error)) throw new LostConnection('another transaction was in the way');
        isUnknown = error instanceof LostConnection;
        throw error;
      }
      if (rows[0]?.held === 1) return;
      await guard.settle(); // refuses if another owner has the database
      throw new LostConnection('the epoch changed');
    });
  }

  async #isStored(id: number, checksum: number): Promise<boolean> {
    const { schema } = this.#options.address;
    const rows = await this.#session.query(
      `SELECT 1 FROM ${schema}.events WHERE id = $1 AND checksum = $2`,
      [id, checksum],
    );
    return rows.length > 0;
  }
}

/** Runs several statements in one transaction, as the owner of this epoch. */
export async function fencedTransaction(
  client: Client,
  { schema, epoch }: { readonly schema: string; readonly epoch: number },
  write: () => Promise<void>,
): Promise<void> {
  await client.query('BEGIN');
  try {
    const held = await client.query(`WITH ${FENCE(schema)} SELECT epoch FROM fence`, [epoch]);
    if (held.rows.length === 0) throw new LostConnection('the epoch changed');
    await write();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection may be lost
    throw error;
  }
}

/** Inside of a transaction. Holds one page of streams, and one of facts, in memory. */
export async function rebuildRunRows(client: Client, schema: string): Promise<void> {
  const table = new PostgresRuns(schema, async (sql, values) => {
    const { rows } = await client.query(sql, [...values]);
    return rows;
  });
  await client.query(`DELETE FROM ${schema}.runs`);
  for (let after = 'run/'; ;) {
    const { rows } = await client.query<{ stream: string }>(
      `SELECT stream FROM ${schema}.events
       WHERE seq = 1 AND stream > $1 AND stream < 'run0' ORDER BY stream LIMIT ${STREAMS_PAGE}`,
      [after],
    );
    const runs: StoredRun[] = [];
    for (const { stream } of rows) {
      const run = await table.fold(stream);
      if (run !== undefined) runs.push(run);
    }
    await client.query(putRuns(schema, 1), [...arraysOfRuns(runs)]);
    after = rows.at(-1)?.stream ?? after;
    if (rows.length < STREAMS_PAGE) return;
  }
}

/** The part of a statement that writes facts. It takes nine arrays, from the parameter `first` on. */
export function putFacts(schema: string, first: number, from = ''): string {
  const types = 'bigint text bigint text int float8 text text bigint'.split(' ');
  const arrays = types.map((type, index) => `$${first + index}::${type}[]`);
  return `INSERT INTO ${schema}.events (id, stream, seq, type, v, at, payload, request, checksum)
    SELECT fact.* FROM ${from}unnest(${arrays.join(', ')}) AS fact`;
}

function changedRuns({ heads }: GroupPlan): readonly StoredRun[] {
  return [...heads.values()].flatMap(({ after: { run } }) => (run === undefined ? [] : [run]));
}

/** The nine arrays. */
export function arraysOfFacts({
  lines,
  payloads,
}: Pick<GroupPlan, 'lines' | 'payloads'>): readonly unknown[] {
  return [
    lines.map(({ id }) => id),
    lines.map(({ stream }) => columnText(stream)),
    lines.map(({ seq }) => seq),
    lines.map(({ type }) => type),
    lines.map(({ v }) => v),
    lines.map(({ at }) => at),
    payloads,
    lines.map((event) => {
      const key = findRequestKey(event);
      return key === null ? null : columnText(key);
    }),
    lines.map((event, index) => checksumOfEvent({ ...event, payload: payloads[index] ?? '' })),
  ];
}
