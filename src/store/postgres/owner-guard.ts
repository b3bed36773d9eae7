/**
 * The right to write. The owner holds an advisory lock on a connection of its own: PostgreSQL releases it when the
 * process dies, however it dies. With each taking of the lock the epoch in the table `owner` grows, and every append
 * checks it. So an owner that lost its lock, without noticing, cannot write.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { Refusal } from '../../base/errors.ts';
import { formatDate } from '../../base/format-time.ts';
import { ONLY_OWNERS } from '../transfer/imported-facts.ts';
import type { DatabaseAddress } from './database-address.ts';
import { LostConnection, refusalAtConnecting, superseded } from './postgres-errors.ts';
import type { Migration } from './postgres-schema.ts';
import { checkServer, migrate } from './postgres-schema.ts';
import type { Waits } from './postgres-session.ts';
import { PostgresSession, whileAway } from './postgres-session.ts';

/** The owner, as the database shows it to another process that wants to be one. */
export type OwnerFacts = {
  readonly ownerId: string;
  readonly host: string;
  readonly pid: number;
  readonly home: string;
  /** Stays the same when the home is moved, or its machine gets another name. */
  readonly homeId: string;
  readonly startedAt: number;
};

type GuardOptions = {
  readonly address: DatabaseAddress;
  readonly owner: OwnerFacts;
  /** Take a database whose runs belong to another home. Their files are there, and not here. */
  readonly takesOver?: boolean;
  readonly waits: Waits;
  readonly migrations?: readonly Migration[];
  /** Ends the waiting for a database that is away. */
  readonly signal: AbortSignal;
};

/** The first half of the lock's key; the second half is the schema. */
const LOCK_CLASS = 0x53757065;
/** An owner that was killed just now has its lock until the server sees the end of its connection. */
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 50;
/** The server ends a connection to a machine that is gone after 10 + 3 × 5 s, and so frees its lock. */
const DEAD_PEER = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`;

export class OwnerGuard {
  readonly #options: GuardOptions;
  readonly #session: PostgresSession;
  /** 0 before the lock was taken for the first time. */
  #epoch = 0;
  /** The server's process of the connection that holds the lock. */
  #backend = 0;
  #lost: Refusal | undefined;
  #restoring: Promise<void> | undefined;

  private constructor(options: GuardOptions) {
    this.#options = options;
    const { address, waits } = options;
    this.#session = new PostgresSession({
      ...{ address, waits, name: 'supervisor owner' },
      prepare: (client) => this.#prepare(client),
      onLost: () => void this.#restore().catch(() => undefined), // the next append reports it
    });
  }

  /** Takes the database. Refuses with `store.in-use` if another process has it. */
  static async take(options: GuardOptions): Promise<OwnerGuard> {
    const guard = new OwnerGuard(options);
    try {
      await guard.#session.connect();
      return guard;
    } catch (error) {
      await guard.close();
      throw refusalAtConnecting(error, options.address.text);
    }
  }

  /** Set once another owner has taken the database. */
  get lost(): Refusal | undefined {
    return this.#lost;
  }

  /** The epoch of an append. Waits while the connection is made again. */
  async epoch(): Promise<number> {
    await this.#restoring;
    if (this.#lost !== undefined) throw this.#lost;
    return this.#epoch;
  }

  /**
   * Moves to a new epoch, and waits until no statement of the old one runs. Afterwards it is decided whether an append
   * of the old one was written. Refuses with `owner.superseded` if another owner has the database.
   */
  async settle(): Promise<void> {
    await this.#retry(() => this.#session.together((client) => this.#raise(client)));
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  #restore(): Promise<void> {
    this.#restoring ??= this.#retry(() => this.#session.connect()).finally(
      () => (this.#restoring = undefined),
    );
    return this.#restoring;
  }

  #retry(attempt: () => Promise<void>): Promise<void> {
    const { address, waits, signal } = this.#options;
    return whileAway({ address, limitMs: waits.awayMs, signal }, attempt);
  }

  async #prepare(client: Client): Promise<void> {
    const { address, migrations } = this.#options;
    await client.query(DEAD_PEER);
    if (this.#epoch === 0) await checkServer(client, address);
    await this.#lock(client);
    if (this.#epoch === 0) {
      await migrate(client, address, migrations);
      if (this.#options.takesOver !== true) await this.#refuseOtherHome(client);
    }
    await this.#raise(client);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    this.#backend = rows[0]?.pid ?? 0;
  }

  async #lock(client: Client): Promise<void> {
    const { schema } = this.#options.address;
    for (let tries = 1; tries <= LOCK_TRIES; tries += 1) {
      const { rows } = await client.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken',
        [LOCK_CLASS, schema],
      );
      if (rows[0]?.taken === true) return;
      if (this.#epoch > 0) break;
      await sleep(LOCK_PAUSE_MS);
    }
    if (this.#epoch === 0) throw await this.#inUse(client);
    const by = await readOwner(client, schema);
    if (by?.ownerId !== this.#options.owner.ownerId) throw this.#supersededBy(by);
    // The server may not have noticed yet that our earlier connection is gone.
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND classid = $1 AND pid = $2 AND granted`,
      [LOCK_CLASS, this.#backend],
    );
    throw new LostConnection('the lock is still with the lost connection');
  }

  /** The files of its runs are in the other home. Here they would begin again, without the work that they have. */
  async #refuseOtherHome(client: Client): Promise<void> {
    const { address, owner } = this.#options;
    const last = await readOwner(client, address.schema);
    if (last === undefined || last.homeId === null || last.homeId === owner.homeId) return;
    const { rows } = await client.query(
      `SELECT 1 FROM ${address.schema}.events WHERE NOT ${ONLY_OWNERS} LIMIT 1`,
    );
    if (rows.length === 0) return;
    throw new Refusal({
      code: 'store.other-home',
      message: `The runs in the ${address.text} belong to another home (${last.home} on ${last.host}). Their workspaces are there and not here.`,
      hint: 'Start the owner there. If that home is gone for good: supervisor up --detach --db URL --take-over. Open runs then begin again in new copies of their projects.',
      details: { database: address.text, home: last.home, host: last.host },
    });
  }

  async #raise(client: Client): Promise<void> {
    const { address, owner } = this.#options;
    const table = `${address.schema}.owner`;
    const { ownerId, host, pid, home, homeId, startedAt } = owner;
    const isFirst = this.#epoch === 0;
    const { rows } = isFirst
      ? await client.query<{ epoch: number }>(
          `INSERT INTO ${table} AS owner (epoch, owner_id, host, pid, home, home_id, started_at)
           VALUES (1, $1, $2, $3, $4, $5, $6)
           ON CONFLICT (one) DO UPDATE SET epoch = owner.epoch + 1, owner_id = excluded.owner_id,
             host = excluded.host, pid = excluded.pid, home = excluded.home,
             home_id = excluded.home_id, started_at = excluded.started_at
           RETURNING epoch`,
          [ownerId, host, pid, home, homeId, startedAt],
        )
      : await client.query<{ epoch: number }>(
          `UPDATE ${table} SET epoch = epoch + 1 WHERE owner_id = $1 RETURNING epoch`,
          [ownerId],
        );
    const [row] = rows;
    if (row === undefined) throw this.#supersededBy(await readOwner(client, address.schema));
    this.#epoch = row.epoch;
  }

  #supersededBy(by: Omit<OwnerFacts, 'homeId'> | undefined): Refusal {
    this.#lost = superseded(this.#options.address.text, describeOwner(by));
    return this.#lost;
  }

  async #inUse(client: Client): Promise<Refusal> {
    const { address } = this.#options;
    const by = await readOwner(client, address.schema);
    return new Refusal({
      code: 'store.in-use',
      message: `Another process owns the ${address.text} (${describeOwner(by)}).`,
      hint: 'End that owner there with: supervisor owner stop. Or give this home another database or schema.',
      ...(by === undefined
        ? {}
        : { details: { host: by.host, pid: by.pid, startedAt: by.startedAt } }),
    });
  }
}

/** The process that has the database now. Undefined: none has. */
export async function findHolder(
  { schema }: DatabaseAddress,
  reader: { query(sql: string, values: readonly unknown[]): Promise<unknown[]> },
): Promise<Pick<OwnerFacts, 'host' | 'pid'> | undefined> {
  const [found] = await reader.query(
    `SELECT host, pid FROM ${schema}.owner WHERE EXISTS (
       SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = $1
       AND objid::bigint = hashtext($2)::bigint & 4294967295
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    [LOCK_CLASS, schema],
  );
  return found as Pick<OwnerFacts, 'host' | 'pid'> | undefined;
}

/** The last process that took the database. Undefined if the tables are not there yet. */
async function readOwner(
  client: Client,
  schema: string,
): Promise<(Omit<OwnerFacts, 'homeId'> & { readonly homeId: string | null }) | undefined> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    [`${schema}.owner`],
  );
  if (tables[0]?.found !== true) return undefined;
  // Through JSON, because tables of an older release have no `home_id`.
  const { rows } = await client.query<Omit<OwnerFacts, 'homeId'> & { homeId: string | null }>(
    `SELECT owner_id AS "ownerId", host, pid, home, to_jsonb(owner) ->> 'home_id' AS "homeId",
       started_at AS "startedAt"
     FROM ${schema}.owner`,
  );
  return rows[0];
}

function describeOwner(owner: Omit<OwnerFacts, 'homeId'> | undefined): string {
  if (owner === undefined) return 'it has not written its name yet';
  return `host ${owner.host}, pid ${owner.pid}, since ${formatDate(owner.startedAt)}`;
}
