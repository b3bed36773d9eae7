/**
 * The journal in PostgreSQL. One process owns it and writes (`OwnerGuard`); others may read and follow it. A database
 * that goes away for a moment is waited for, and an append whose result is unknown is settled by reading it back.
 */
import type { Instant } from '../../base/clock.ts';
import type { Refusal } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import type { NewEvent, StoredEvent } from '../../protocol/event.ts';
import type { EventIn, NewEventIn } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { checksumOfSnapshot } from '../checksum.ts';
import { CommitListeners } from '../commit-listeners.ts';
import type {
  AllPage,
  Journal,
  Page,
  RunFilter,
  Snapshot,
  StreamAppend,
  StreamDamage,
} from '../journal.ts';
import { journalClosed, sequenceConflict } from '../journal-refusals.ts';
import type { AppendJob, GroupPlan, SettledJob, StreamHead } from '../plan-group.ts';
import { planGroup } from '../plan-group.ts';
import { CommitQueue } from './commit-queue.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { OwnerFacts } from './owner-guard.ts';
import { OwnerGuard } from './owner-guard.ts';
import { isUniqueViolation } from './postgres-errors.ts';
import { PostgresReader } from './postgres-reader.ts';
import type { Migration } from './postgres-schema.ts';
import type { Waits } from './postgres-session.ts';
import { WAITS } from './postgres-session.ts';
import { PostgresWriter } from './postgres-writer.ts';

const HEADS_MAX = 1024;
/** Every stream of a group has a head; this only completes the type. */
const NO_HEAD: StreamHead = { seq: 0, run: undefined };

export type PostgresOptions = {
  readonly address: DatabaseAddress;
  readonly owner: OwnerFacts;
  /** Take a database whose runs belong to another home. */
  readonly takesOver?: boolean;
  readonly waits?: Waits;
  /** For tests of an upgrade. */
  readonly migrations?: readonly Migration[];
};

export class PostgresJournal implements Journal {
  readonly #guard: OwnerGuard;
  readonly #reader: PostgresReader;
  readonly #writer: PostgresWriter;
  readonly #closing: AbortController;
  readonly #listeners = new CommitListeners();
  readonly #appends = new CommitQueue((group: readonly AppendJob[]) => this.#commit(group));
  /** The committed heads of the streams that were written last. The others are read on demand. */
  readonly #heads = new Map<string, StreamHead>();
  #lastId: number;
  /** An append was refused without a result, so what the database has must be read first. */
  #isUncertain = false;

  private constructor(
    guard: OwnerGuard,
    reader: PostgresReader,
    writer: PostgresWriter,
    closing: AbortController,
    lastId: number,
  ) {
    this.#guard = guard;
    this.#reader = reader;
    this.#writer = writer;
    this.#closing = closing;
    this.#lastId = lastId;
  }

  /**
   * Takes the database, creates its tables or brings them up to date. Refuses with `store.in-use` if another
   * process has it, with `store.other-home` if its runs belong to another home, with `store.unavailable` if it cannot be reached, and with `store.unknown-version` if a newer
   * release wrote it.
   */
  static async open(options: PostgresOptions): Promise<PostgresJournal> {
    const { waits = WAITS, address } = options;
    const closing = new AbortController();
    const { signal } = closing;
    const guard = await OwnerGuard.take({ ...options, waits, signal });
    const reader = new PostgresReader(address, waits);
    try {
      const writer = new PostgresWriter({ address, waits, guard, signal });
      return new PostgresJournal(guard, reader, writer, closing, await reader.lastId());
    } catch (error) {
      await Promise.all([guard.close(), reader.close()]);
      throw error;
    }
  }

  /** The reason why this owner may not write any more: another one has the database. */
  get lost(): Refusal | undefined {
    return this.#guard.lost;
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

  async appendAll(
    appends: readonly StreamAppend[],
    at: Instant,
  ): Promise<readonly (readonly StoredEvent[])[]> {
    if (this.#closing.signal.aborted) throw journalClosed();
    const job = appends.map(({ stream, lastSeq, events }) => {
      const payloads = events.map(({ payload }) => JSON.stringify(payload));
      // Copies, because the caller may change its objects while the commit is on its way.
      const copies = events.map(
        ({ type }, index) => ({ type, payload: JSON.parse(payloads[index] ?? '') }) as NewEvent,
      );
      return { stream, lastSeq, events: copies, payloads, at };
    });
    return this.#appends.add(job);
  }

  readStream<Name extends string>(stream: Name, page: Page): Promise<readonly EventIn<Name>[]> {
    return this.#reader.readStream(stream, page);
  }

  readAll(page: AllPage): Promise<readonly StoredEvent[]> {
    return this.#reader.readAll(page);
  }

  readBack(before: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#reader.readBack(before, limit);
  }

  findRequest(key: string): Promise<StoredEvent | undefined> {
    return this.#reader.findRequest(key);
  }

  damages(): readonly StreamDamage[] {
    return this.#reader.damages.all();
  }

  lastSeq(stream: string): Promise<number> {
    return this.#reader.read(async () => (await this.#head(stream)).seq);
  }

  lastId(): Promise<number> {
    return this.#reader.read(async () => this.#lastId);
  }

  onCommit(listener: (lastId: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  run(id: string): Promise<RunView | undefined> {
    return this.#reader.run(id);
  }

  runs(filter: RunFilter): Promise<readonly RunView[]> {
    return this.#reader.runs(filter);
  }

  async saveSnapshot(stream: string, { maker, seq, state }: Snapshot): Promise<void> {
    const cells = { stream, maker, seq, state: JSON.stringify(state) };
    await this.#reader.read(() => this.#writer.saveSnapshot(cells, checksumOfSnapshot(cells)));
  }

  loadSnapshot(stream: string, maker: string): Promise<Snapshot | undefined> {
    return this.#reader.loadSnapshot(stream, maker);
  }

  async rebuild(): Promise<void> {
    await this.#reader.read(async () => {
      this.#heads.clear();
      await this.#writer.rebuildRuns();
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#appends.idle();
    await Promise.all([this.#writer.close(), this.#reader.close(), this.#guard.close()]);
  }

  async #commit(group: readonly AppendJob[]): Promise<readonly SettledJob[]> {
    if (this.#isUncertain) await this.#settle();
    const heads = new Map<string, StreamHead | Refusal>();
    for (const { stream } of group.flat())
      if (!heads.has(stream)) heads.set(stream, await this.#findHead(stream));
    const plan = planGroup(group, this.#lastId, (stream) => heads.get(stream) ?? NO_HEAD);
    const last = plan.lines.at(-1);
    if (last === undefined) return plan.settled;
    try {
      await this.#writer.write(plan);
    } catch (error) {
      return this.#afterFailure(group, plan, error);
    }
    for (const [stream, { after }] of plan.heads) this.#remember(stream, after);
    this.#lastId = last.id;
    this.#listeners.notifyAll(last.id);
    return plan.settled;
  }

  /** Nothing of the group was written, unless the database stayed away: the next start then sees what was. */
  async #afterFailure(
    group: readonly AppendJob[],
    { settled }: GroupPlan,
    error: unknown,
  ): Promise<readonly SettledJob[]> {
    const [first] = group;
    const isConflict = isUniqueViolation(error);
    const reason = this.#reader.damages.toRefusal(error);
    if (isRefusal(reason, 'store.unavailable')) this.#isUncertain = true;
    if (isConflict) await this.#settle();
    // One job that is too large must not fail the others.
    if (group.length > 1 && (isConflict || isRefusal(reason, 'store.full'))) {
      const apart: SettledJob[] = [];
      for (const job of group) apart.push(...(await this.#commit([job])));
      return apart;
    }
    const refusal = isConflict && first !== undefined ? await this.#toConflict(first) : reason;
    return settled.map((one) =>
      one.kind === 'refused' ? one : { kind: 'refused', error: refusal },
    );
  }

  async #settle(): Promise<void> {
    await this.#guard.settle();
    this.#heads.clear();
    this.#lastId = await this.#reader.lastId();
    this.#isUncertain = false;
  }

  /** The stream that another process has written to. */
  async #toConflict(job: AppendJob): Promise<Refusal> {
    const [{ stream, lastSeq } = { stream: '', lastSeq: 0 }] = job;
    for (const append of job) {
      const head = await this.#findHead(append.stream);
      if (isRefusal(head)) return head;
      if (head.seq !== append.lastSeq)
        return sequenceConflict(append.stream, append.lastSeq, head.seq);
    }
    return sequenceConflict(stream, lastSeq, lastSeq);
  }

  /** A refusal if the stream is damaged, because that does not concern the other appends of the group. */
  async #findHead(stream: string): Promise<StreamHead | Refusal> {
    try {
      return await this.#head(stream);
    } catch (error) {
      const reason = this.#reader.damages.toRefusal(error);
      if (isRefusal(reason)) return reason;
      throw error;
    }
  }

  async #head(stream: string): Promise<StreamHead> {
    return this.#heads.get(stream) ?? this.#reader.head(stream);
  }

  #remember(stream: string, head: StreamHead): void {
    this.#heads.delete(stream); // added again, so that the first key is the least recently used
    this.#heads.set(stream, head);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > HEADS_MAX && oldest !== undefined) this.#heads.delete(oldest);
  }
}
