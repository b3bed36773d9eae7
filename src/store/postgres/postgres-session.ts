/**
 * One connection to PostgreSQL that is made when it is needed and made again when it was lost. Statements run one at a
 * time. The driver is loaded with the first connection, so that other commands start without it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, QueryResultRow } from 'pg';
import { Serial } from '../../base/serial.ts';
import { journalClosed } from '../journal-refusals.ts';
import type { DatabaseAddress } from './database-address.ts';
import { isLost, LostConnection, refusalAtConnecting } from './postgres-errors.ts';

export type Waits = {
  /** For a connection. */
  readonly connectMs: number;
  /** For a statement, on the server. */
  readonly statementMs: number;
  /** For a database that was there and went away, such as for a restart. */
  readonly awayMs: number;
};

export const WAITS: Waits = { connectMs: 5000, statementMs: 30_000, awayMs: 60_000 };

/** A server that is cut off is noticed this much later than its own limit. */
const NETWORK_MARGIN_MS = 5000;
const BACKOFF_MS = { first: 20, most: 1000 };
const KEEP_ALIVE_MS = 10_000;

type SessionOptions = {
  readonly address: DatabaseAddress;
  readonly waits: Waits;
  /** Names the connection in the list of PostgreSQL. */
  readonly name: string;
  /** Runs on each new connection before anything else. */
  readonly prepare?: (client: Client) => Promise<void>;
  /** Called when an idle connection is lost. */
  readonly onLost?: () => void;
  readonly onNotice?: (payload: string) => void;
};

export class PostgresSession {
  readonly #options: SessionOptions;
  readonly #serial = new Serial();
  #client: Client | undefined;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Runs one statement, once. Rejects with `LostConnection` if its result is unknown or there is no connection. */
  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#use(async (client) => {
      const { rows } = await client.query<Row>(sql, [...values]);
      return rows;
    });
  }

  /** Runs several statements on one connection, with nothing in between. */
  together<Result>(task: (client: Client) => Promise<Result>): Promise<Result> {
    return this.#use(task);
  }

  /** Connects, unless there is a connection. */
  connect(): Promise<void> {
    return this.#use(async () => undefined);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#serial.run(async () => {
      this.#isClosed = true;
      const client = this.#client;
      this.#client = undefined;
      await client?.end().catch(() => undefined); // it may be lost already
    });
  }

  #use<Result>(task: (client: Client) => Promise<Result>): Promise<Result> {
    return this.#serial.run(async () => {
      if (this.#isClosed) throw journalClosed();
      const client = this.#client ?? (await this.#open());
      try {
        return await task(client);
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#drop(client);
        throw new LostConnection('the connection to the database was lost', { cause: error });
      }
    });
  }

  async #open(): Promise<Client> {
    const { address, waits, name, prepare, onNotice, onLost } = this.#options;
    const { default: driver } = await import('pg');
    let client: Client | undefined;
    try {
      client = new driver.Client({
        connectionString: address.url,
        application_name: name,
        connectionTimeoutMillis: waits.connectMs,
        statement_timeout: waits.statementMs,
        query_timeout: waits.statementMs + NETWORK_MARGIN_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        types: {
          // The driver returns `bigint` as text. Ids stay below 2^53.
          getTypeParser: (type) =>
            type === driver.types.builtins.INT8 ? Number : driver.types.getTypeParser(type),
        },
      });
      const opened = client;
      const lost = (): void => {
        if (this.#client !== opened) return;
        this.#drop(opened);
        onLost?.();
      };
      opened.on('error', lost); // without a listener, a lost idle connection would end the process
      opened.on('end', lost);
      if (onNotice !== undefined)
        opened.on('notification', ({ payload }) => onNotice(payload ?? ''));
      await opened.connect();
      await prepare?.(opened);
      this.#client = opened;
      return opened;
    } catch (error) {
      void client?.end().catch(() => undefined);
      if (isLost(error)) throw new LostConnection('no connection', { cause: error });
      throw refusalAtConnecting(error, address.text);
    }
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    void client.end().catch(() => undefined);
  }
}

/**
 * Calls `attempt` until it does not fail with a lost connection, with growing pauses, for at most `limitMs`. Then it
 * refuses with `store.unavailable`. So it does after one last attempt when `signal` aborts.
 */
export async function whileAway<Result>(
  { address, limitMs, signal }: { address: DatabaseAddress; limitMs: number; signal: AbortSignal },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + limitMs;
  for (let pause = BACKOFF_MS.first; ; pause = Math.min(pause * 2, BACKOFF_MS.most)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LostConnection)) throw error;
      if (signal.aborted || performance.now() + pause > until)
        throw refusalAtConnecting(error, address.text);
    }
    await sleep(pause, undefined, { signal }).catch(() => undefined); // then one last attempt
  }
}
