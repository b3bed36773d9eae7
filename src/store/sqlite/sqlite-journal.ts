/**
 * The journal on `node:sqlite`. Only one process has it open, so it caches what a transaction needs: the end of each
 * stream and the state of its run. A write by another process collides on the event's id and is refused as a
 * conflict.
 */
import type { Instant } from '../../base/clock.ts';
import { watchFiles } from '../../host/files/file-identity.ts';
import { LoopShare } from '../../host/machine/loop-share.ts';
import type { Refusal } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import type { NewEvent, StoredEvent } from '../../protocol/event.ts';
import type { EventIn, NewEventIn } from '../../protocol/streams.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { CommitListeners } from '../commit-listeners.ts';
import { GroupCommit } from '../group-commit.ts';
import type {
  AllPage,
  Journal,
  Page,
  RunFilter,
  Snapshot,
  StreamAppend,
  StreamDamage,
} from '../journal.ts';
import { journalClosed, sequenceConflict, homeLost } from '../journal-refusals.ts';
import type { StoredRun } from '../run-projection.ts';
import type { Database } from './database.ts';
import { openDatabase } from './database.ts';
import { isConstraint, refusalAtOpening, sqliteRefusal } from './sqlite-errors.ts';
import type { SnapshotCells } from '../checksum.ts';
import { checksumOfSnapshot } from '../checksum.ts';
import { DamageLog } from '../damage-log.ts';
import type { EventRow } from '../event-row.ts';
import { eventsOfStream, readEvent } from '../event-row.ts';
import type { StreamHead } from '../plan-group.ts';
import { StreamHeads } from './stream-heads.ts';
import type { AppendJob, GroupPlan, SettledJob } from '../plan-group.ts';
import { planGroup } from '../plan-group.ts';
import { RunTable } from './projections.ts';
import { Statements } from './statements.ts';

/** How many views are read without a pause. */
const RUNS_PAGE = 500;

export class SqliteJournal implements Journal {
  readonly #database: Database;
  readonly #path: string;
  readonly #sql: Statements;
  readonly #runs: RunTable;
  readonly #heads: StreamHeads;
  /** Long histories are read page by page, and the event loop runs in between. */
  readonly #pacer = new LoopShare();
  readonly #listeners = new CommitListeners();
  readonly #appends = new GroupCommit((group: readonly AppendJob[]) => this.#commit(group));
  /** Returns the path if it no longer points to the open file. */
  readonly #lost: () => string | undefined;
  readonly #damages: DamageLog;
  #lastId: number;
  #closed = false;

  /** `path` is used in messages only. The database is already open and has the current schema. */
  constructor(database: Database, path: string, lost: () => string | undefined = () => undefined) {
    this.#database = database;
    this.#path = path;
    this.#lost = lost;
    this.#damages = new DamageLog((error) => sqliteRefusal(error, path));
    this.#sql = new Statements(database);
    this.#runs = new RunTable(database);
    this.#heads = new StreamHeads(this.#sql, this.#runs);
    this.#lastId = this.#sql.lastId();
  }

  /** Opens the file, or creates it in an existing folder. */
  static open(path: string): SqliteJournal {
    const database = openDatabase(path);
    try {
      return new SqliteJournal(database, path, watchFiles([path]).findLost);
    } catch (error) {
      database.close();
      throw refusalAtOpening(error, path);
    }
  }

  append<Name extends string>(
    stream: Name,
    lastSeq: number,
    events: readonly NewEventIn<Name>[],
    at: Instant,
  ): Promise<readonly EventIn<Name>[]> {
    const stored = this.appendAll([{ stream, lastSeq, events }], at).then(([only = []]) => only);
    return stored as Promise<readonly EventIn<Name>[]>; // the same events, with their places
  }

  appendAll(
    appends: readonly StreamAppend[],
    at: Instant,
  ): Promise<readonly (readonly StoredEvent[])[]> {
    if (this.#closed) return Promise.reject(journalClosed());
    return this.#appends.add(
      appends.map((append) => ({ ...append, payloads: append.events.map(payloadText), at })),
    );
  }

  async readStream<Name extends string>(
    stream: Name,
    { after, limit }: Page,
  ): Promise<readonly EventIn<Name>[]> {
    await this.#pacer.pause();
    const events = this.#read(() =>
      eventsOfStream(this.#sql.readStream.all(stream, after, limit), stream, after),
    );
    return events as readonly EventIn<Name>[]; // append puts nothing else into this stream
  }

  async readAll({ after, limit, skipsDamaged = false }: AllPage): Promise<readonly StoredEvent[]> {
    await this.#pacer.pause();
    if (!skipsDamaged) return this.#read(() => this.#sql.readAll.all(after, limit).map(toEvent));
    return this.#read(() =>
      this.#damages.readUndamaged(after, limit, (from, n) => this.#sql.readAll.all(from, n)),
    );
  }

  async readBack(before: number, limit: number): Promise<readonly StoredEvent[]> {
    await this.#pacer.pause();
    return this.#read(() =>
      this.#damages.readUndamaged(before, limit, (from, n) => this.#sql.readBack.all(from, n)),
    );
  }

  async findRequest(key: string): Promise<StoredEvent | undefined> {
    return this.#read(() => {
      const row = this.#sql.findRequest.get(key);
      return row === undefined ? undefined : toEvent(row);
    });
  }

  damages(): readonly StreamDamage[] {
    return this.#damages.all();
  }

  async lastSeq(stream: string): Promise<number> {
    return this.#read(() => this.#heads.get(stream).seq);
  }

  async lastId(): Promise<number> {
    return this.#read(() => this.#lastId);
  }

  onCommit(listener: (lastId: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  async run(id: string): Promise<RunView | undefined> {
    return this.#read(() => (this.#known(id) ?? this.#runs.read(id))?.view);
  }

  async runs(filter: RunFilter): Promise<readonly RunView[]> {
    const views: RunView[] = [];
    let before = this.#placeOf(filter.before);
    while (before !== undefined && views.length < filter.limit) {
      await this.#pacer.pause();
      const limit = Math.min(RUNS_PAGE, filter.limit - views.length);
      const { runs, next } = this.#listRuns({ ...filter, limit }, before);
      views.push(...runs.map(({ view }) => view));
      before = next;
    }
    return views;
  }

  async saveSnapshot(stream: string, { maker, seq, state }: Snapshot): Promise<void> {
    const cells = { stream, maker, seq, state: JSON.stringify(state) };
    const checksum = checksumOfSnapshot(cells);
    this.#read(() => this.#sql.saveSnapshot.run(stream, maker, seq, cells.state, checksum));
  }

  async loadSnapshot(stream: string, maker: string): Promise<Snapshot | undefined> {
    const row = this.#read(() => this.#sql.loadSnapshot.get(stream, maker));
    if (row === undefined) return undefined;
    const cells = row as SnapshotCells & { readonly checksum: number };
    const { seq, state } = cells;
    // A snapshot is a cache: a damaged one is ignored, and the facts are folded again.
    if (cells.checksum !== checksumOfSnapshot(cells)) return undefined;
    return { maker, seq, state: JSON.parse(state) as Snapshot['state'] };
  }

  async rebuild(): Promise<void> {
    this.#read(() => {
      this.#heads.clear();
      this.#transaction(() => this.#runs.rebuild());
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#appends.flush();
    this.#database.close();
  }

  #commit(group: readonly AppendJob[]): readonly SettledJob[] {
    const plan = planGroup(group, this.#lastId, (stream) => this.#findHead(stream));
    const last = plan.lines.at(-1);
    if (last === undefined) return plan.settled;
    try {
      this.#write(plan);
    } catch (error) {
      return this.#afterFailure(group, plan, error);
    }
    for (const [stream, { after }] of plan.heads) this.#heads.set(stream, after);
    this.#lastId = last.id;
    // Checked only now, because a file that was deleted during the commit must not be acknowledged either.
    const lost = this.#lost();
    if (lost !== undefined)
      return plan.settled.map(() => ({ kind: 'refused', error: homeLost(lost) }));
    this.#listeners.notifyAll(last.id);
    return plan.settled;
  }

  #write({ lines, payloads, heads }: GroupPlan): void {
    const rows = this.#runs.changedRows(heads.values());
    const writeAll = (): void => {
      for (const [index, event] of lines.entries()) this.#sql.insert(event, payloads[index] ?? '');
      for (const [before, after] of rows) this.#runs.write(before, after);
    };
    // A single statement is a transaction by itself, and most appends are one fact.
    if (lines.length === 1 && rows.length === 0) writeAll();
    else this.#transaction(writeAll);
  }

  #transaction(write: () => void): void {
    this.#sql.begin.run();
    try {
      write();
      this.#sql.commit.run();
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back the transaction.
      if (this.#database.isTransaction) this.#sql.rollback.run();
      throw error;
    }
  }

  /** Nothing of the group was written. */
  #afterFailure(
    group: readonly AppendJob[],
    { settled }: GroupPlan,
    error: unknown,
  ): readonly SettledJob[] {
    const [first] = group;
    const isConflict = isConstraint(error);
    if (isConflict) {
      this.#heads.clear();
      this.#lastId = this.#sql.lastId();
    }
    const reason = sqliteRefusal(error, this.#path);
    // One job that is too large must not fail the others.
    if (group.length > 1 && (isConflict || isRefusal(reason)))
      return group.flatMap((job) => this.#commit([job]));
    const refusal = isConflict && first !== undefined ? this.#toConflict(first) : reason;
    return settled.map((one) =>
      one.kind === 'refused' ? one : { kind: 'refused', error: refusal },
    );
  }

  /** The stream that another process has written to. */
  #toConflict(job: AppendJob): Refusal {
    const refusals = job.map(({ stream, lastSeq }) => {
      const head = this.#findHead(stream);
      if (isRefusal(head)) return head;
      return head.seq === lastSeq ? undefined : sequenceConflict(stream, lastSeq, head.seq);
    });
    const [{ stream, lastSeq } = { stream: '', lastSeq: 0 }] = job;
    return refusals.find((one) => one !== undefined) ?? sequenceConflict(stream, lastSeq, lastSeq);
  }

  /** A refusal if the stream is damaged, because that does not concern the other appends of the group. */
  #findHead(stream: string): StreamHead | Refusal {
    try {
      return this.#heads.get(stream);
    } catch (error) {
      const reason = this.#damages.toRefusal(error);
      if (isRefusal(reason)) return reason;
      throw error;
    }
  }

  /** A list begins before this place. */
  #placeOf(run: string | undefined): number | undefined {
    return run === undefined ? Infinity : this.#read(() => this.#runs.submissionOf(run));
  }

  #listRuns(filter: RunFilter, before: number): ReturnType<RunTable['list']> {
    return this.#read(() =>
      this.#runs.list(
        filter,
        before,
        (id) => this.#known(id),
        (error) => void this.#damages.toRefusal(error),
      ),
    );
  }

  #known(id: string): StoredRun | undefined {
    return this.#heads.known(runStream(id))?.run;
  }

  #read<Result>(query: () => Result): Result {
    this.#mustBeOpen();
    try {
      return query();
    } catch (error) {
      throw this.#damages.toRefusal(error);
    }
  }

  #mustBeOpen(): void {
    if (this.#closed) throw journalClosed();
  }
}

function payloadText({ payload }: NewEvent): string {
  return JSON.stringify(payload);
}

function toEvent(row: unknown): StoredEvent {
  return readEvent(row as EventRow);
}
