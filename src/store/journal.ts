/**
 * The journal: an append-only log of facts, and the only source of truth. This is the port that `sqlite/` and
 * `memory/` implement, and that `testing/journal-conformance.ts` tests.
 */
import type { Instant } from '../base/clock.ts';
import type { Refusal } from '../base/errors.ts';
import type { NewEvent, StoredEvent } from '../protocol/event.ts';
import type { EventIn, NewEventIn } from '../protocol/streams.ts';
import type { RunView } from '../protocol/views/run-view.ts';

export type Page = {
  /** Only facts after this position. 0 is the beginning. */
  readonly after: number;
  readonly limit: number;
};

export type AllPage = Page & {
  /**
   * Leaves damaged facts out, for work that concerns all runs and must not stop because of one. `damages` reports
   * them.
   */
  readonly skipsDamaged?: boolean;
};

/** A stream with a fact that is not as it was written. */
export type StreamDamage = { readonly stream: string; readonly refusal: Refusal };

export type RunFilter = {
  readonly project?: string;
  readonly program?: string;
  /** Only runs whose id begins with these hex digits. */
  readonly idPrefix?: string;
  /** Only the runs that this run started. Null: no run that another run started, apart from long-lived agents. */
  readonly parent?: string | null;
  /** Only runs that have ended, or only runs that have not. */
  readonly ended?: boolean;
  /** Only runs that were submitted before this run: the next page of a list. None if there is no such run. */
  readonly before?: string;
  readonly limit: number;
};

export type Snapshot = {
  /** The fold that made it, such as `attempts@1`. Another fold never reads it. */
  readonly maker: string;
  readonly seq: number;
  /** Any JSON. Only the maker knows its type. */
  readonly state: unknown;
};

/** Facts for the end of one stream. `lastSeq` as in `append`. */
export type StreamAppend = {
  readonly stream: string;
  readonly lastSeq: number;
  readonly events: readonly NewEvent[];
};

export interface Journal {
  /**
   * Adds facts to the end of a stream, all or none, with the projections, in one transaction. Once it resolves, they
   * survive kill -9 and power loss. `lastSeq` is the seq that the caller expects to be the last. If another fact was
   * added meanwhile, it refuses with `store.conflict`. A full disk refuses with `store.full`. After a refusal nothing
   * was written, and the journal still works. Appends resolve in the order in which they were called.
   */
  append<Name extends string>(
    stream: Name,
    lastSeq: number,
    events: readonly NewEventIn<Name>[],
    at: Instant,
  ): Promise<readonly EventIn<Name>[]>;

  /**
   * Adds facts to several streams, each named once: all of them or none, in one transaction. It refuses for the same
   * reasons as `append`. Returns the facts of each stream.
   */
  appendAll(
    appends: readonly StreamAppend[],
    at: Instant,
  ): Promise<readonly (readonly StoredEvent[])[]>;

  /** The facts of one stream by seq, oldest first. Refuses with `store.damaged` if one is not as it was written. */
  readStream<Name extends string>(stream: Name, page: Page): Promise<readonly EventIn<Name>[]>;
  /** The facts of all streams by id, oldest first. Refuses in the same way, unless `skipsDamaged` is set. */
  readAll(page: AllPage): Promise<readonly StoredEvent[]>;
  /** The newest facts of all streams before this id, newest first. Leaves damaged facts out. */
  readBack(before: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The fact that was written for the command with this key. Undefined if there is none. */
  findRequest(key: string): Promise<StoredEvent | undefined>;
  /** The seq of a stream's last fact. 0 for a stream that does not exist. */
  lastSeq(stream: string): Promise<number>;
  /** The id of the last fact of all streams. */
  lastId(): Promise<number>;
  /**
   * Calls the listener after each commit, with the id of its last fact. Exceptions of the listener are ignored.
   * Returns a function that unsubscribes.
   */
  onCommit(listener: (lastId: number) => void): () => void;

  /** The streams in which damage was found since the journal was opened. */
  damages(): readonly StreamDamage[];

  run(id: string): Promise<RunView | undefined>;
  /**
   * The most recently submitted runs first, in the order of the journal and not of the clock. A run with a damaged
   * fact is left out, and `damages` reports it.
   */
  runs(filter: RunFilter): Promise<readonly RunView[]>;

  /** Snapshots are a cache: dropping all of them changes no result, only the time that a resume takes. */
  saveSnapshot(stream: string, snapshot: Snapshot): Promise<void>;
  /** The newest snapshot of the stream by this maker. */
  loadSnapshot(stream: string, maker: string): Promise<Snapshot | undefined>;

  /** Computes every projection again from the events alone. */
  rebuild(): Promise<void>;
  /** Waits for the appends that were requested so far. Afterwards everything refuses with `store.closed`. */
  close(): Promise<void>;
}
