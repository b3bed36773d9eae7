/**
 * One run as the journal has it: its facts, folded, and the only way to append more. The state in
 * memory always equals the journal. A snapshot every so often makes resuming fast.
 */
import type { Clock, Instant } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { NewRunEvent, RunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal, StreamAppend } from '../../store/journal.ts';
import type { Program } from '../program.ts';
import type { LoadedRun } from './load-run.ts';
import { foldEvent, snapshotMaker } from './load-run.ts';

export type RecordPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly snapshotEvery: number;
  /** Called with every snapshot. `seq` is the number of facts that the run has by now. */
  readonly onGrown?: (run: RunId, seq: number) => void;
};

/** The facts of each append, as they are in the journal. */
export type Results = readonly (readonly RunEvent[])[];
/** Appends to other streams that are written together with that of the run, or not at all. */
export type Others = readonly StreamAppend[];

const FULL_DISK_RETRY_MS = 1000;

export class RunRecord {
  readonly #run: RunId;
  readonly #program: Program<Json>;
  readonly #ports: RecordPorts;
  #folded: LoadedRun;
  #isHolding = false;

  constructor(run: RunId, program: Program<Json>, folded: LoadedRun, ports: RecordPorts) {
    this.#run = run;
    this.#program = program;
    this.#folded = folded;
    this.#ports = ports;
  }

  get folded(): LoadedRun {
    return this.#folded;
  }

  /** What `folded` will be when these events are written at `at`. Nothing is written yet. */
  ahead(events: readonly NewRunEvent[], at: Instant): LoadedRun {
    const stream = runStream(this.#run);
    return events.reduce((folded, { type, payload }) => {
      const seq = folded.seq + 1;
      // Only the journal knows the id. No fold reads it.
      const event = { id: 0, stream, seq, type, v: EVENT_VERSION, at, payload } as RunEvent;
      return foldEvent(this.#program, folded, event);
    }, this.#folded);
  }

  /** Whether a write waits for free space on the disk. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Only the user can free a full disk. So this waits, and continues when there is space or `signal` aborts. */
  async add(
    events: readonly NewRunEvent[],
    signal: AbortSignal,
    at = this.#ports.clock.now(),
    others: Others = [],
  ): Promise<Results> {
    if (events.length === 0) return [];
    try {
      for (let writtenAt = at; ; writtenAt = this.#ports.clock.now()) {
        try {
          return await this.tryAdd(events, writtenAt, others);
        } catch (error) {
          if (!isRefusal(error, 'store.full') || signal.aborted) throw error;
          this.#isHolding = true;
          await this.#ports.clock.sleep(FULL_DISK_RETRY_MS, signal);
        }
      }
    } finally {
      this.#isHolding = false;
    }
  }

  /**
   * Refuses with `store.full` instead of waiting. `others` are written together with the events, or not at all.
   * Returns the facts of each of them.
   */
  async tryAdd(
    events: readonly NewRunEvent[],
    at = this.#ports.clock.now(),
    others: Others = [],
  ): Promise<Results> {
    if (events.length === 0) return [];
    const { snapshotEvery } = this.#ports;
    const before = this.#folded.seq;
    const [stored = [], ...storedOthers] = await this.#append(events, at, others);
    for (const event of stored) this.#folded = foldEvent(this.#program, this.#folded, event);
    const isDue = Math.floor(this.#folded.seq / snapshotEvery) > Math.floor(before / snapshotEvery);
    if (!isDue) return storedOthers;
    await this.#saveSnapshot();
    this.#ports.onGrown?.(this.#run, this.#folded.seq);
    return storedOthers;
  }

  async #append(events: readonly NewRunEvent[], at: Instant, others: Others): Promise<Results> {
    const [stream, lastSeq] = [runStream(this.#run), this.#folded.seq];
    const { journal } = this.#ports;
    if (others.length === 0) return [await journal.append(stream, lastSeq, events, at)];
    const stored = await journal.appendAll([{ stream, lastSeq, events }, ...others], at);
    return stored as Results; // the same events, with their places
  }

  async #saveSnapshot(): Promise<void> {
    const { seq, state, ledger } = this.#folded;
    const maker = snapshotMaker(this.#program);
    try {
      const saved = { maker, seq, state: { state, ledger } };
      await this.#ports.journal.saveSnapshot(runStream(this.#run), saved);
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // a snapshot is only a cache: the next one follows
    }
  }
}
