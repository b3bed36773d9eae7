/**
 * The journal in memory, for tests and for the simulated world. It stores everything as text, like a disk, so that a
 * caller cannot change a fact through an object that it still holds.
 */
import type { Instant } from '../../base/clock.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { EventIn, NewEventIn } from '../../protocol/streams.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { CommitListeners } from '../commit-listeners.ts';
import type { SettledCommit } from '../group-commit.ts';
import { GroupCommit } from '../group-commit.ts';
import type { Journal, Page, RunFilter, Snapshot, StreamAppend, StreamDamage } from '../journal.ts';
import { journalClosed, sequenceConflict, diskFull } from '../journal-refusals.ts';
import type { StoredRun } from '../run-projection.ts';
import { projectRun } from '../run-projection.ts';
import { MemoryDisk } from './memory-disk.ts';

type Append = {
  readonly stream: string;
  readonly lastSeq: number;
  readonly events: readonly { readonly type: string; readonly payload: string }[];
  readonly at: Instant;
};

type SettledJob = SettledCommit<readonly (readonly StoredEvent[])[]>;

export class MemoryJournal implements Journal {
  readonly #disk: MemoryDisk;
  readonly #opening: number;
  readonly #listeners = new CommitListeners();
  readonly #appends = new GroupCommit((group: readonly (readonly Append[])[]) =>
    this.#commit(group),
  );
  /** The ids of each stream's events, by seq. */
  readonly #streams = new Map<string, number[]>();
  /** By stream. */
  #runs = new Map<string, StoredRun>();
  #closed = false;

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.#disk = disk;
    disk.openings += 1;
    this.#opening = disk.openings;
    for (const event of disk.events.map(parse)) this.#index(event);
  }

  async append<Name extends string>(
    stream: Name,
    lastSeq: number,
    events: readonly NewEventIn<Name>[],
    at: Instant,
  ): Promise<readonly EventIn<Name>[]> {
    const [stored = []] = await this.appendAll([{ stream, lastSeq, events }], at);
    return stored as readonly EventIn<Name>[]; // the same events, with their places
  }

  async appendAll(
    appends: readonly StreamAppend[],
    at: Instant,
  ): Promise<readonly (readonly StoredEvent[])[]> {
    this.#mustBeOpen();
    return this.#appends.add(
      appends.map(({ stream, lastSeq, events }) => {
        const texts = events.map(({ type, payload }) => ({
          type,
          payload: JSON.stringify(payload),
        }));
        return { stream, lastSeq, events: texts, at };
      }),
    );
  }

  async readStream<Name extends string>(
    stream: Name,
    { after, limit }: Page,
  ): Promise<readonly EventIn<Name>[]> {
    this.#mustBeOpen();
    const ids = this.#streams.get(stream) ?? [];
    return ids.slice(after, after + limit).map((id) => this.#event(id) as EventIn<Name>);
  }

  async readAll({ after, limit }: Page): Promise<readonly StoredEvent[]> {
    this.#mustBeOpen();
    return this.#disk.events.slice(after, after + limit).map(parse);
  }

  async readBack(before: number, limit: number): Promise<readonly StoredEvent[]> {
    this.#mustBeOpen();
    const end = Math.max(0, Math.min(before - 1, this.#disk.events.length));
    return this.#disk.events
      .slice(Math.max(0, end - limit), end)
      .map(parse)
      .toReversed();
  }

  damages(): readonly StreamDamage[] {
    return []; // memory does not become damaged
  }

  async findRequest(key: string): Promise<StoredEvent | undefined> {
    this.#mustBeOpen();
    const quotedKey = JSON.stringify(key);
    return this.#disk.events
      .filter((line) => line.includes(quotedKey))
      .map(parse)
      .find(({ payload }) => 'request' in payload && payload.request.key === key);
  }

  async lastSeq(stream: string): Promise<number> {
    this.#mustBeOpen();
    return this.#lastSeq(stream);
  }

  async lastId(): Promise<number> {
    this.#mustBeOpen();
    return this.#disk.events.length;
  }

  onCommit(listener: (lastId: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  async run(id: string): Promise<RunView | undefined> {
    this.#mustBeOpen();
    return structuredClone(this.#runs.get(runStream(id))?.view);
  }

  async runs({
    project,
    program,
    idPrefix = '',
    parent,
    ended,
    before,
    limit,
  }: RunFilter): Promise<readonly RunView[]> {
    this.#mustBeOpen();
    const place =
      before === undefined ? Infinity : (this.#runs.get(runStream(before))?.submission ?? 0);
    const matching = [...this.#runs.values()]
      .filter(({ view }) => project === undefined || view.project === project)
      .filter(({ view }) => program === undefined || view.program === program)
      .filter(({ view }) => view.id.startsWith(idPrefix))
      .filter(({ view }) => parent === undefined || matchesParent(view, parent))
      .filter(({ view }) => ended === undefined || (view.endedAt !== null) === ended)
      .filter(({ submission }) => submission < place)
      .sort((a, b) => b.submission - a.submission);
    return structuredClone(matching.slice(0, limit).map(({ view }) => view));
  }

  async saveSnapshot(stream: string, snapshot: Snapshot): Promise<void> {
    this.#mustBeOpen();
    if (this.#disk.full) throw diskFull();
    const { seq, maker } = snapshot;
    const key = snapshotKey(stream, maker);
    const before = this.#disk.snapshots.get(key);
    if (before !== undefined && before.seq > seq) return;
    this.#disk.snapshots.set(key, { seq, text: JSON.stringify(snapshot) });
  }

  async loadSnapshot(stream: string, maker: string): Promise<Snapshot | undefined> {
    this.#mustBeOpen();
    const stored = this.#disk.snapshots.get(snapshotKey(stream, maker));
    return stored === undefined ? undefined : (JSON.parse(stored.text) as Snapshot);
  }

  async rebuild(): Promise<void> {
    this.#mustBeOpen();
    this.#runs = new Map();
    for (const event of this.#disk.events.map(parse)) this.#project(event);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#appends.flush();
  }

  #commit(group: readonly (readonly Append[])[]): readonly SettledJob[] {
    if (this.#isSuperseded()) throw journalClosed();
    const before = this.#disk.events.length;
    const settled = group.map((job) => this.#settle(job));
    if (this.#disk.events.length > before) {
      this.#disk.commit();
      this.#disk.sync();
      this.#listeners.notifyAll(this.#disk.events.length);
    }
    return settled;
  }

  #settle(job: readonly Append[]): SettledJob {
    for (const { stream, lastSeq, events } of job) {
      const actual = this.#lastSeq(stream);
      if (actual !== lastSeq)
        return { kind: 'refused', error: sequenceConflict(stream, lastSeq, actual) };
      if (this.#disk.full && events.length > 0) return { kind: 'refused', error: diskFull() };
    }
    return { kind: 'written', result: job.map((append) => this.#write(append)) };
  }

  #write({ stream, lastSeq, events, at }: Append): readonly StoredEvent[] {
    const firstId = this.#disk.events.length + 1;
    const lines = events.map(({ type, payload }, index) => {
      const [id, seq] = [firstId + index, lastSeq + 1 + index];
      const head = JSON.stringify({ id, stream, seq, type, v: EVENT_VERSION, at });
      return `${head.slice(0, -1)},"payload":${payload}}`;
    });
    const result = lines.map(parse);
    this.#disk.events.push(...lines);
    for (const event of result) this.#index(event);
    return result;
  }

  #index(event: StoredEvent): void {
    const ids = this.#streams.get(event.stream);
    if (ids === undefined) this.#streams.set(event.stream, [event.id]);
    else ids.push(event.id);
    this.#project(event);
  }

  #project(event: StoredEvent): void {
    const run = projectRun(this.#runs.get(event.stream), event);
    if (run !== undefined) this.#runs.set(event.stream, run);
  }

  #event(id: number): StoredEvent {
    return parse(this.#disk.events[id - 1] ?? '');
  }

  #lastSeq(stream: string): number {
    return this.#streams.get(stream)?.length ?? 0;
  }

  #mustBeOpen(): void {
    if (this.#closed || this.#isSuperseded()) throw journalClosed();
  }

  /** After a simulated crash, another journal owns the disk, and this one must not write any more. */
  #isSuperseded(): boolean {
    return this.#disk.openings !== this.#opening;
  }
}

function parse(line: string): StoredEvent {
  return JSON.parse(line) as StoredEvent;
}

function snapshotKey(stream: string, maker: string): string {
  return JSON.stringify([stream, maker]);
}

function matchesParent({ parent, program }: RunView, wanted: string | null): boolean {
  if (program === AGENT_PROGRAM) return wanted === null;
  return parent === wanted;
}
