/** The journal as one owner holds it: it can be slow, and its owner can die inside a write. */
import type { Instant } from '../../../src/base/clock.ts';
import { isRefusal } from '../../../src/base/errors.ts';
import type { NewEvent, StoredEvent } from '../../../src/protocol/event.ts';
import type { EventIn, NewEventIn } from '../../../src/protocol/streams.ts';
import type { RunView } from '../../../src/protocol/views/run-view.ts';
import type {
  AllPage,
  Journal,
  Page,
  RunFilter,
  Snapshot,
  StreamAppend,
  StreamDamage,
} from '../../../src/store/journal.ts';
import type { OwnerProcess } from './virtual-machine.ts';
import type { WorldClock } from './world-clock.ts';

/** The faults of writes; the world sets them. */
export type DiskFaults = {
  delayMs: number;
  /**
   * The owner dies in the write that makes `writes` zero: before it, after it is durable, or with
   * the whole machine in between.
   */
  death: { readonly when: Death; writes: number } | null;
};

type Death = 'before' | 'after' | 'power';

export type JournalWitness = {
  recorded(requested: readonly NewEvent[], stored: readonly StoredEvent[]): void;
  full(isFirstFact: boolean): void;
  /** Must end the owner before it returns; with `power`, as soon as something is committed. */
  died(when: Death): void;
};

export class OwnerJournal implements Journal {
  readonly #inner: Journal;
  readonly #life: OwnerProcess;
  readonly #clock: WorldClock;
  readonly #faults: DiskFaults;
  readonly #witness: JournalWitness;
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(
    inner: Journal,
    life: OwnerProcess,
    clock: WorldClock,
    faults: DiskFaults,
    witness: JournalWitness,
  ) {
    this.#inner = inner;
    this.#life = life;
    this.#clock = clock;
    this.#faults = faults;
    this.#witness = witness;
  }

  append<Name extends string>(
    stream: Name,
    lastSeq: number,
    events: readonly NewEventIn<Name>[],
    at: Instant,
  ): Promise<readonly EventIn<Name>[]> {
    return this.#inLine(() =>
      this.#write(
        { requested: events, isFirst: lastSeq === 0 },
        () => this.#inner.append(stream, lastSeq, events, at),
        (stored) => stored as readonly StoredEvent[],
      ),
    );
  }

  appendAll(
    appends: readonly StreamAppend[],
    at: Instant,
  ): Promise<readonly (readonly StoredEvent[])[]> {
    const requested = appends.flatMap(({ events }) => events);
    const isFirst = appends[0]?.lastSeq === 0;
    return this.#inLine(() =>
      this.#write(
        { requested, isFirst },
        () => this.#inner.appendAll(appends, at),
        (stored) => stored.flat(),
      ),
    );
  }

  #inLine<Result>(write: () => Promise<Result>): Promise<Result> {
    const { delayMs } = this.#faults;
    if (delayMs === 0 && this.#waiting === 0) return write();
    this.#waiting += 1;
    const mine = this.#line.then(async () => {
      await this.#clock.lasts(delayMs);
      this.#waiting -= 1;
      return write();
    });
    this.#line = mine.catch(() => undefined); // the caller gets the error
    return mine;
  }

  /** `isFirst`: the write begins a stream. */
  async #write<Result>(
    { requested, isFirst }: { readonly requested: readonly NewEvent[]; readonly isFirst: boolean },
    append: () => Promise<Result>,
    toEvents: (stored: Result) => readonly StoredEvent[],
  ): Promise<Result> {
    const fate = this.#fate();
    if (fate === 'before' || fate === 'power') this.#witness.died(fate);
    try {
      return await this.#whileAlive(async () => {
        const stored = await append();
        if (fate === 'after') this.#witness.died('after');
        if (this.#life.alive) this.#witness.recorded(requested, toEvents(stored));
        return stored;
      });
    } catch (error) {
      if (isRefusal(error, 'store.full')) this.#witness.full(isFirst);
      throw error;
    }
  }

  #fate(): Death | undefined {
    const { death } = this.#faults;
    if (death === null || !this.#life.alive) return undefined;
    death.writes -= 1;
    if (death.writes > 0) return undefined;
    this.#faults.death = null;
    return death.when;
  }

  /** A dead owner receives no results. */
  async #whileAlive<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isDead()) return never();
    try {
      const result = await work();
      return this.#isDead() ? await never() : result;
    } catch (error) {
      if (this.#isDead()) return never();
      throw error;
    }
  }

  /** An owner that lost its lock can't read either: the caller waits for ever. */
  #read<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#whileAlive(() => (this.#life.isSuperseded ? never() : work()));
  }

  /** A function, because the answer changes while we wait. */
  #isDead(): boolean {
    return !this.#life.alive;
  }

  readStream<Name extends string>(stream: Name, page: Page): Promise<readonly EventIn<Name>[]> {
    return this.#read(() => this.#inner.readStream(stream, page));
  }
  readAll(page: AllPage): Promise<readonly StoredEvent[]> {
    return this.#read(() => this.#inner.readAll(page));
  }
  readBack(before: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#read(() => this.#inner.readBack(before, limit));
  }
  findRequest(key: string): Promise<StoredEvent | undefined> {
    return this.#inner.findRequest(key);
  }
  damages(): readonly StreamDamage[] {
    return this.#inner.damages();
  }

  lastSeq(stream: string): Promise<number> {
    return this.#read(() => this.#inner.lastSeq(stream));
  }
  lastId(): Promise<number> {
    return this.#read(() => this.#inner.lastId());
  }
  onCommit(listener: (lastId: number) => void): () => void {
    return this.#inner.onCommit((lastId) => {
      if (this.#life.alive) listener(lastId);
    });
  }
  run(id: string): Promise<RunView | undefined> {
    return this.#read(() => this.#inner.run(id));
  }
  runs(filter: RunFilter): Promise<readonly RunView[]> {
    return this.#read(() => this.#inner.runs(filter));
  }
  saveSnapshot(stream: string, snapshot: Snapshot): Promise<void> {
    return this.#read(() => this.#inner.saveSnapshot(stream, snapshot));
  }
  loadSnapshot(stream: string, maker: string): Promise<Snapshot | undefined> {
    return this.#read(() => this.#inner.loadSnapshot(stream, maker));
  }
  rebuild(): Promise<void> {
    return this.#read(() => this.#inner.rebuild());
  }
  close(): Promise<void> {
    return this.#whileAlive(() => this.#inner.close());
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
