/**
 * Reads the histories of runs from their facts. A snapshot of a long history is saved from time to
 * time, so that the next read only needs the facts since then. Snapshots are a cache: without them
 * the result is the same.
 */
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import { HISTORY_VERSION, foldRunHistory } from '../../reports/runs/run-history.ts';
import type { Journal } from '../../store/journal.ts';

/** Reading a page blocks the event loop, so a page is small. */
const PAGE = 250;
const FORK_DEPTH_MAX = 100;
/**
 * A snapshot is saved after this many facts. Reading fewer facts is faster than reading a snapshot.
 */
const SNAPSHOT_EVERY = 10_000;
/** The number of runs for which the store remembers their last snapshot. */
const KNOWN_MAX = 1000;
const MAKER = `story@${HISTORY_VERSION}`;

type ReadHistory = { readonly history: RunHistory | undefined; readonly seq: number };

export class RunHistoryStore {
  readonly #journal: () => Journal;
  /** The seq of the last snapshot, by run. */
  readonly #snapshotSeqs = new Map<string, number>();

  /** `journal` returns the current journal, because the owner may replace it. */
  constructor(journal: () => Journal) {
    this.#journal = journal;
  }

  async read(id: RunId): Promise<RunHistory> {
    const { history } = await this.#read(id, Infinity, 0);
    if (history === undefined) throw new Error(`run ${id} has no first fact`);
    return history;
  }

  /** Saves a snapshot of a run that has `seq` facts, unless a recent one exists. */
  async saveIfDue(id: RunId, seq: number): Promise<void> {
    if (seq - (this.#snapshotSeqs.get(id) ?? 0) >= SNAPSHOT_EVERY) await this.read(id);
  }

  /** Reads the part that the run inherited from the run it was forked from, then its own facts. */
  async #read(id: string, upTo: number, depth: number): Promise<ReadHistory> {
    if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${id} is forked too deep`);
    let { history, seq } = await this.#loadSnapshot(id, upTo);
    let snapshot = seq;
    while (seq < upTo) {
      const limit = Math.min(PAGE, upTo - seq);
      const page = await this.#journal().readStream(runStream(id), { after: seq, limit });
      for (const event of page) {
        if (event.type === 'run.forked') {
          const { from, seq: last } = event.payload;
          history = (await this.#read(from, last, depth + 1)).history;
        }
        history = foldRunHistory(history, event);
      }
      seq += page.length;
      if (seq - snapshot >= SNAPSHOT_EVERY && history !== undefined) {
        await this.#saveSnapshot(id, seq, history);
        snapshot = seq;
      }
      if (page.length < limit) break;
    }
    return { history, seq };
  }

  async #loadSnapshot(id: string, upTo: number): Promise<ReadHistory> {
    const snapshot = await this.#journal().loadSnapshot(runStream(id), MAKER);
    if (snapshot === undefined || snapshot.seq > upTo) return { history: undefined, seq: 0 };
    this.#remember(id, snapshot.seq);
    return { history: snapshot.state as RunHistory, seq: snapshot.seq };
  }

  async #saveSnapshot(id: string, seq: number, history: RunHistory): Promise<void> {
    try {
      await this.#journal().saveSnapshot(runStream(id), { maker: MAKER, seq, state: history });
      this.#remember(id, seq);
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // the history can be read without a snapshot
    }
  }

  #remember(id: string, seq: number): void {
    this.#snapshotSeqs.delete(id); // moves the run to the end, so that the first key is the least recently used
    this.#snapshotSeqs.set(id, seq);
    const [oldest] = this.#snapshotSeqs.keys();
    if (this.#snapshotSeqs.size > KNOWN_MAX && oldest !== undefined)
      this.#snapshotSeqs.delete(oldest);
  }
}
