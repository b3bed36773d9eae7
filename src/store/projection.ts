/**
 * State that is stored as events and read back by folding them. A projection finds the newest snapshot, folds the
 * events after it, appends new events one write at a time, and makes the next snapshot.
 */
import type { Clock } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import { retryWhileDiskFull } from '../base/retry-while-disk-full.ts';
import { Serial } from '../base/serial.ts';
import type { EventType } from '../protocol/event.ts';
import type { EventIn, NewEventIn } from '../protocol/streams.ts';
import type { Journal } from './journal.ts';

/** Snapshots are events of the stream itself. A reader goes back to the newest one, and no further. */
type SnapshotEvents<State, Name extends string> = {
  readonly kind: 'events';
  readonly every: number;
  readonly type: EventType;
  readonly make: (state: State) => NewEventIn<Name>;
};

/** Snapshots are rows of the journal's snapshot table: a cache, so a missing one only costs time. */
type SnapshotTable<State> = {
  readonly kind: 'table';
  readonly every: number;
  /** Which fold made it, such as `cooldowns@1`. */
  readonly maker: string;
  readonly write: (state: State) => unknown;
  readonly read: (stored: unknown) => State;
  /** Set if the events of all streams are folded (`Name` is `string`): without a snapshot, only so many of the newest. */
  readonly allStreamsBack?: number;
};

/** There are no snapshots: only so many of the stream's newest events are read. */
type NewestEvents = { readonly kind: 'newest'; readonly eventsMax: number };

export type ProjectionPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
};

export type ProjectionOptions<State, Name extends string> = ProjectionPorts & {
  readonly stream: Name;
  readonly initial: State;
  readonly fold: (state: State, event: EventIn<Name>) => State;
  readonly snapshots: SnapshotEvents<State, Name> | SnapshotTable<State> | NewestEvents;
};

/** What a write does if the disk is full: it waits for room, or it refuses with `store.full`. */
type OnFull = 'wait' | 'refuse';

const PAGE = 500;

export class Projection<State, Name extends string> {
  readonly #options: ProjectionOptions<State, Name>;
  readonly #serial = new Serial();
  #state: State;
  /** The place of the last folded event, and of the last one that a snapshot in the table covers. */
  #position = 0;
  #snapshotPosition = 0;
  /** Events stored since the last snapshot event. */
  #sinceSnapshot = 0;
  #lastWaiting: Promise<unknown> = Promise.resolve();

  private constructor(options: ProjectionOptions<State, Name>) {
    this.#options = options;
    this.#state = options.initial;
  }

  static async open<State, Name extends string>(
    options: ProjectionOptions<State, Name>,
  ): Promise<Projection<State, Name>> {
    const projection = new Projection(options);
    await projection.#read();
    return projection;
  }

  get state(): State {
    return this.#state;
  }

  /** Replaces the state at once. The caller stores events that lead there, or the next snapshot has it. */
  put(state: State): void {
    this.#state = state;
  }

  /** Appends the events that `decide` returns, then folds them. Decisions are made one at a time. */
  change(decide: (state: State) => readonly NewEventIn<Name>[]): Promise<void> {
    return this.#serial.run(async () => {
      const events = decide(this.#state);
      if (events.length === 0) return;
      this.#fold(await this.#append(events));
      await this.#saveIfDue();
    });
  }

  /** Appends events that the state already has, and a snapshot event if one is due. */
  store(events: readonly NewEventIn<Name>[], onFull: OnFull): Promise<void> {
    const { snapshots } = this.#options;
    const count = this.#sinceSnapshot + events.length;
    if (snapshots.kind !== 'events' || count <= snapshots.every) {
      this.#sinceSnapshot = count;
      return this.#write(events, onFull);
    }
    this.#sinceSnapshot = 0;
    const written = this.#write([...events, snapshots.make(this.#state)], onFull);
    written.catch(() => (this.#sinceSnapshot += count)); // the snapshot is still due
    return written;
  }

  /** Appends a snapshot event now. */
  snapshot(onFull: OnFull): Promise<void> {
    const { snapshots } = this.#options;
    if (snapshots.kind !== 'events') throw new Error('this projection has no snapshot events');
    this.#sinceSnapshot = 0;
    return this.#write([snapshots.make(this.#state)], onFull);
  }

  /** Resolves when every waiting write so far is durable. Rejects if the last one failed. */
  async flushed(): Promise<void> {
    await this.#lastWaiting;
  }

  /** Folds all events that are committed when it is called. */
  catchUp(): Promise<State> {
    return this.#serial.run(async () => {
      await this.#readNewEvents();
      return this.#state;
    });
  }

  #write(events: readonly NewEventIn<Name>[], onFull: OnFull): Promise<void> {
    const append = async (): Promise<void> => void (await this.#append(events));
    const written = this.#serial.run(() =>
      onFull === 'wait' ? retryWhileDiskFull(this.#options.clock, undefined, append) : append(),
    );
    // A refusal is the caller's alone: it does not fail those that wait for earlier writes.
    this.#lastWaiting = onFull === 'refuse' ? written.catch(() => undefined) : written;
    this.#lastWaiting.catch(() => undefined); // `flushed` reports it
    return written;
  }

  async #append(events: readonly NewEventIn<Name>[]): Promise<readonly EventIn<Name>[]> {
    const { journal, clock, stream } = this.#options;
    return journal.append(stream, await journal.lastSeq(stream), events, clock.now());
  }

  #fold(events: readonly EventIn<Name>[]): void {
    this.#state = events.reduce(this.#options.fold, this.#state);
    const last = events.at(-1);
    if (last !== undefined) this.#position = this.#foldsAllStreams ? last.id : last.seq;
  }

  async #read(): Promise<void> {
    const { journal, stream, snapshots } = this.#options;
    if (snapshots.kind === 'newest') {
      const after = Math.max(0, (await journal.lastSeq(stream)) - snapshots.eventsMax);
      return this.#fold(await journal.readStream(stream, { after, limit: snapshots.eventsMax }));
    }
    if (snapshots.kind === 'events') return this.#readBack(snapshots.type);
    const saved = await journal.loadSnapshot(stream, snapshots.maker);
    if (saved !== undefined) {
      this.#state = snapshots.read(saved.state);
      this.#position = saved.seq;
      this.#snapshotPosition = saved.seq;
    }
    const eventsBack = snapshots.allStreamsBack;
    if (eventsBack !== undefined)
      this.#position = Math.max(this.#position, (await journal.lastId()) - eventsBack);
    await this.#readNewEvents();
  }

  async #readBack(snapshotType: EventType): Promise<void> {
    const { journal, stream } = this.#options;
    const pages: (readonly EventIn<Name>[])[] = [];
    for (let before = await journal.lastSeq(stream); before > 0; before -= PAGE) {
      const after = Math.max(0, before - PAGE);
      const page = await journal.readStream(stream, { after, limit: before - after });
      pages.unshift(page);
      if (page.some(({ type }) => type === snapshotType)) break;
    }
    const events = pages.flat();
    this.#fold(events);
    const snapshotAt = events.findLastIndex(({ type }) => type === snapshotType);
    this.#sinceSnapshot = events.length - 1 - snapshotAt;
  }

  async #readNewEvents(): Promise<void> {
    const { journal, stream } = this.#options;
    const foldsAllStreams = this.#foldsAllStreams;
    const last = await (foldsAllStreams ? journal.lastId() : journal.lastSeq(stream));
    while (this.#position < last) {
      const page = { after: this.#position, limit: PAGE };
      // A damaged event concerns one run, and a fold over all streams is for all of them: it is left out.
      const events = await (foldsAllStreams
        ? journal.readAll({ ...page, skipsDamaged: true })
        : journal.readStream(stream, page));
      if (events.length === 0) this.#position = last;
      this.#fold(events as readonly EventIn<Name>[]);
    }
    await this.#saveIfDue();
  }

  get #foldsAllStreams(): boolean {
    const { snapshots } = this.#options;
    return snapshots.kind === 'table' && snapshots.allStreamsBack !== undefined;
  }

  async #saveIfDue(): Promise<void> {
    const { journal, stream, snapshots } = this.#options;
    if (snapshots.kind !== 'table' || this.#position - this.#snapshotPosition < snapshots.every)
      return;
    const state = snapshots.write(this.#state);
    try {
      await journal.saveSnapshot(stream, { maker: snapshots.maker, seq: this.#position, state });
      this.#snapshotPosition = this.#position;
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // only a cache: a later snapshot will do
    }
  }
}
