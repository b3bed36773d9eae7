/**
 * Reads a journal in PostgreSQL, also while another process owns it. Reads change nothing, so they are made again while
 * the database is away.
 */
import { LoopShare } from '../../host/machine/loop-share.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { EventIn } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { SnapshotCells } from '../checksum.ts';
import { checksumOfSnapshot } from '../checksum.ts';
import { DamageLog } from '../damage-log.ts';
import type { EventRow } from '../event-row.ts';
import { EVENT_COLUMNS, eventsOfStream, readEvent } from '../event-row.ts';
import type { AllPage, Page, RunFilter, Snapshot } from '../journal.ts';
import { journalClosed } from '../journal-refusals.ts';
import type { StreamHead } from '../plan-group.ts';
import { CommitWatch } from './commit-watch.ts';
import type { DatabaseAddress } from './database-address.ts';
import { postgresRefusal, unknownDatabaseSchema } from './postgres-errors.ts';
import { columnText, PostgresRuns } from './postgres-runs.ts';
import { checkServer, DATABASE_VERSION, findVersion } from './postgres-schema.ts';
import type { Waits } from './postgres-session.ts';
import { PostgresSession, WAITS, whileAway } from './postgres-session.ts';

/** How many views are read without a pause. */
const RUNS_PAGE = 500;

export class PostgresReader {
  readonly runTable: PostgresRuns;
  readonly damages: DamageLog;
  readonly #address: DatabaseAddress;
  readonly #waits: Waits;
  readonly #session: PostgresSession;
  readonly #watch: CommitWatch;
  readonly #pacer = new LoopShare();
  readonly #closing = new AbortController();

  constructor(address: DatabaseAddress, waits: Waits, pollMs?: number) {
    this.#address = address;
    this.#waits = waits;
    this.#session = new PostgresSession({ address, waits, name: 'supervisor reads' });
    this.#watch = new CommitWatch(address, waits, pollMs);
    this.damages = new DamageLog((error) => postgresRefusal(error, address.text));
    this.runTable = new PostgresRuns(address.schema, (sql, values) => this.query(sql, values));
  }

  /** Refuses a database without the tables of this release. Takes no lock. */
  static async open(
    address: DatabaseAddress,
    waits: Waits = WAITS,
    pollMs?: number,
  ): Promise<PostgresReader> {
    const reader = new PostgresReader(address, waits, pollMs);
    try {
      await reader.read(() =>
        reader.#session.together(async (client) => {
          await checkServer(client, address);
          const version = await findVersion(client, address);
          if (version !== DATABASE_VERSION)
            throw unknownDatabaseSchema(address.text, version, DATABASE_VERSION);
        }),
      );
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  readStream<Name extends string>(
    stream: Name,
    { after, limit }: Page,
  ): Promise<readonly EventIn<Name>[]> {
    return this.read(async () => {
      const rows = await this.#events('stream = $1 AND seq > $2 ORDER BY seq', limit, [
        columnText(stream),
        after,
      ]);
      const events = eventsOfStream(rows, stream, after);
      return events as readonly EventIn<Name>[]; // append puts nothing else into this stream
    });
  }

  readAll({ after, limit, skipsDamaged = false }: AllPage): Promise<readonly StoredEvent[]> {
    const page = (from: number, count: number): Promise<EventRow[]> =>
      this.#events('id > $1 ORDER BY id', count, [from]);
    return this.read(async () =>
      skipsDamaged
        ? this.#undamaged(after, limit, page)
        : (await page(after, limit)).map(readEvent),
    );
  }

  readBack(before: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.read(() =>
      this.#undamaged(before, limit, (from, count) =>
        this.#events('id < $1 ORDER BY id DESC', count, [from]),
      ),
    );
  }

  findRequest(key: string): Promise<StoredEvent | undefined> {
    return this.read(async () => {
      const [row] = await this.#events('request = $1 ORDER BY id', 1, [columnText(key)]);
      return row === undefined ? undefined : readEvent(row);
    });
  }

  lastSeq(stream: string): Promise<number> {
    return this.read(() => this.#last('seq', 'WHERE stream = $1', [columnText(stream)]));
  }

  lastId(): Promise<number> {
    return this.read(() => this.#last('id', '', []));
  }

  /** The commits of the owner, wherever it runs. */
  onCommit(listener: (lastId: number) => void): () => void {
    return this.#watch.add(listener);
  }

  run(id: string): Promise<RunView | undefined> {
    return this.read(async () => (await this.runTable.read(id))?.view);
  }

  async runs(filter: RunFilter): Promise<readonly RunView[]> {
    const views: RunView[] = [];
    let before = await this.#placeOf(filter.before);
    while (before !== undefined && views.length < filter.limit) {
      const from: number = before;
      const limit = Math.min(RUNS_PAGE, filter.limit - views.length);
      const { runs, next } = await this.read(() =>
        this.runTable.list(
          { ...filter, limit },
          from,
          (error) => void this.damages.toRefusal(error),
        ),
      );
      views.push(...runs.map(({ view }) => view));
      before = next;
    }
    return views;
  }

  loadSnapshot(stream: string, maker: string): Promise<Snapshot | undefined> {
    return this.read(async () => {
      const [row] = await this.query(
        `SELECT stream, maker, seq, state, checksum FROM ${this.#address.schema}.snapshots
         WHERE stream = $1 AND maker = $2`,
        [columnText(stream), maker],
      );
      if (row === undefined) return undefined;
      const cells = row as SnapshotCells & { readonly checksum: number };
      const { seq, state } = cells;
      // A snapshot is a cache: a damaged one is ignored, and the facts are folded again.
      if (cells.checksum !== checksumOfSnapshot(cells)) return undefined;
      return { maker, seq, state: JSON.parse(state) as Snapshot['state'] };
    });
  }

  /** The end of a stream, and the state of its run there. */
  async head(stream: string): Promise<StreamHead> {
    const seq = await this.#last('seq', 'WHERE stream = $1', [columnText(stream)]);
    return { seq, run: await this.runTable.ofStream(stream) };
  }

  /** Also while the journal is being closed. */
  query(sql: string, values: readonly unknown[]): Promise<unknown[]> {
    const { awayMs: limitMs } = this.#waits;
    const { signal } = this.#closing;
    return whileAway({ address: this.#address, limitMs, signal }, () =>
      this.#session.query(sql, values),
    );
  }

  /** Runs a read of the caller. Its errors become refusals, and damage is recorded. */
  async read<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.#closing.signal.aborted) throw journalClosed();
    await this.#pacer.pause();
    try {
      return await read();
    } catch (error) {
      throw this.damages.toRefusal(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#session.close(), this.#watch.close()]);
  }

  /** A list begins before this place. */
  async #placeOf(run: string | undefined): Promise<number | undefined> {
    return run === undefined ? Infinity : this.read(() => this.runTable.submissionOf(run));
  }

  async #last(column: 'id' | 'seq', where: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.query(
      `SELECT coalesce(max(${column}), 0) AS last FROM ${this.#address.schema}.events ${where}`,
      values,
    );
    return (row as { readonly last: number }).last;
  }

  async #undamaged(
    position: number,
    limit: number,
    page: (from: number, count: number) => Promise<EventRow[]>,
  ): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (let from = position; events.length < limit;) {
      const missing = limit - events.length;
      const rows = await page(from, missing);
      events.push(...this.damages.undamaged(rows));
      from = rows.at(-1)?.id ?? from;
      if (rows.length < missing) break;
    }
    return events;
  }

  async #events(condition: string, limit: number, values: readonly unknown[]): Promise<EventRow[]> {
    const rows = await this.query(
      `SELECT ${EVENT_COLUMNS} FROM ${this.#address.schema}.events
       WHERE ${condition} LIMIT $${values.length + 1}`,
      [...values, limit],
    );
    return rows as EventRow[];
  }
}
