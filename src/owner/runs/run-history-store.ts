/**
 * The stories of runs, told from their facts. A long one is kept beside the facts now and then, so that the
 * next question reads only what came since. What is kept is a cache: without it the answer is the same.
 */
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import { runStream } from '../../protocol/event.ts';
import type { RunHistory } from '../../reports/run-history.ts';
import { HISTORY_VERSION, foldRunHistory } from '../../reports/run-history.ts';
import type { Journal } from '../../store/journal.ts';

/** What is read at once is not interrupted, so it is little. */
const PAGE = 250;
const FORK_DEPTH_MAX = 100;
/** After so many facts a story is kept again. Fewer would be read sooner than a kept story. */
const KEEP_EVERY = 10_000;
/** Runs of which it is known how far their story is kept. */
const KNOWN_MAX = 1000;
const MAKER = `story@${HISTORY_VERSION}`;

type Told = { readonly story: RunHistory | undefined; readonly seq: number };

export class RunHistoryStore {
  readonly #journal: () => Journal;
  /** Up to which fact the story of a run is kept. */
  readonly #kept = new Map<string, number>();

  /** `journal` as it is now: it may have been replaced. */
  constructor(journal: () => Journal) {
    this.#journal = journal;
  }

  async read(id: RunId): Promise<RunHistory> {
    const { story } = await this.#read(id, Infinity, 0);
    if (story === undefined) throw new Error(`run ${id} has no first fact`);
    return story;
  }

  /** Keeps the story of a run that has so many facts by now, unless enough of it is kept. */
  async keep(id: RunId, seq: number): Promise<void> {
    if (seq - (this.#kept.get(id) ?? 0) >= KEEP_EVERY) await this.read(id);
  }

  /** What it took over from the run that it was forked from, then its own facts. */
  async #read(id: string, upTo: number, depth: number): Promise<Told> {
    if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${id} is forked too deep`);
    let { story, seq } = await this.#recall(id, upTo);
    let kept = seq;
    while (seq < upTo) {
      const limit = Math.min(PAGE, upTo - seq);
      const page = await this.#journal().readStream(runStream(id), { after: seq, limit });
      for (const event of page) {
        if (event.type === 'run.forked') {
          const { from, seq: last } = event.payload;
          story = (await this.#read(from, last, depth + 1)).story;
        }
        story = foldRunHistory(story, event);
      }
      seq += page.length;
      if (seq - kept >= KEEP_EVERY && story !== undefined) {
        await this.#keep(id, seq, story);
        kept = seq;
      }
      if (page.length < limit) break;
    }
    return { story, seq };
  }

  async #recall(id: string, upTo: number): Promise<Told> {
    const kept = await this.#journal().loadSnapshot(runStream(id), MAKER);
    if (kept === undefined || kept.seq > upTo) return { story: undefined, seq: 0 };
    this.#know(id, kept.seq);
    return { story: kept.state as unknown as RunHistory, seq: kept.seq };
  }

  async #keep(id: string, seq: number, story: RunHistory): Promise<void> {
    const state = story as unknown as Json;
    try {
      await this.#journal().saveSnapshot(runStream(id), { maker: MAKER, seq, state });
      this.#know(id, seq);
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // the question can be answered without it
    }
  }

  #know(id: string, seq: number): void {
    this.#kept.delete(id); // to its end: the first key is the one that was longest unused
    this.#kept.set(id, seq);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KNOWN_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}
