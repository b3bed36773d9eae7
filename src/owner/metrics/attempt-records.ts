/**
 * Keeps the records of all attempts. They are computed from the facts, and stored in pages as snapshots, so that a request
 * reads only the facts since then. Without the snapshots the result is the same.
 */
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { Serial } from '../../base/serial.ts';
import type { CollectorState } from '../../metrics/attempt-collector.ts';
import { AttemptCollector } from '../../metrics/attempt-collector.ts';
import type { EndedAttempt, RecordPage } from '../../metrics/ended-attempt.ts';
import { RECORDS_MAKER, readRecords, writeRecords } from '../../metrics/ended-attempt.ts';
import { spendOverTime } from '../../metrics/spend-over-time.ts';
import { summarizeAttempts } from '../../metrics/summarize-attempts.ts';
import type { MetricsRequest, MetricsView } from '../../protocol/views/metrics-view.ts';
import type { SpendRequest, SpendView } from '../../protocol/views/spend-view.ts';
import type { Journal } from '../../store/journal.ts';

/** More than these say nothing new. */
const RECORDS_MAX = 200_000;
const PAGE_RECORDS = 1000;
/** Reading a page of facts blocks the event loop, so it is small. */
const PAGE_FACTS = 500;
const SAVED_EVERY = 5000;
/** The name of the snapshot with the position. The pages are numbered. */
const STREAM = 'attempt-records';

type Head = CollectorState & { readonly count: number };

type AttemptRecordsPorts = {
  /** Returns the current journal, because the owner may replace it. */
  readonly journal: () => Journal;
  readonly clock: Clock;
};

export class AttemptRecords {
  readonly #journal: () => Journal;
  readonly #clock: Clock;
  readonly #serial = new Serial();
  #read: { readonly of: Journal; readonly collector: AttemptCollector } | undefined;
  /** The id of the last fact that was counted, and that a snapshot covers. */
  #position = 0;
  #saved = 0;
  #changedFrom = Infinity;

  constructor({ journal, clock }: AttemptRecordsPorts) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** What the attempts since then have given and cost. */
  async metrics({ since, by }: MetricsRequest): Promise<MetricsView> {
    const { records, leftOut } = await this.read();
    return summarizeAttempts(records, { since, by, until: this.#clock.now(), leftOut });
  }

  /** What they have cost, in parts of the time. */
  async spend(request: SpendRequest): Promise<SpendView> {
    const { records } = await this.read();
    return spendOverTime(records, request, this.#clock.now());
  }

  /** Counts everything that is committed when it is called. `leftOut`: older records that are not kept. */
  read(): Promise<{ readonly records: readonly EndedAttempt[]; readonly leftOut: number }> {
    return this.#serial.run(async () => {
      const collector = await this.#caughtUp();
      return { records: collector.records, leftOut: collector.first };
    });
  }

  /** Called as the journal grows, so that no request has to read all facts. */
  async grown(): Promise<void> {
    if ((await this.#journal().lastId()) - this.#position >= SAVED_EVERY) await this.read();
  }

  async #caughtUp(): Promise<AttemptCollector> {
    const journal = this.#journal();
    if (this.#read?.of !== journal)
      this.#read = { of: journal, collector: await this.#load(journal) };
    const { collector } = this.#read;
    const last = await journal.lastId();
    while (this.#position < last) {
      // A damaged fact concerns one run. The figures are about all of them.
      const page = { after: this.#position, limit: PAGE_FACTS, skipsDamaged: true };
      const facts = await journal.readAll(page);
      for (const fact of facts) collector.count(fact);
      this.#position = facts.at(-1)?.id ?? last;
    }
    // Not in between: an older snapshot never replaces a newer one, even if that one is damaged.
    if (this.#position - this.#saved >= SAVED_EVERY) await this.#save(journal, collector);
    return collector;
  }

  async #load(journal: Journal): Promise<AttemptCollector> {
    this.#position = 0;
    this.#saved = 0;
    this.#changedFrom = Infinity;
    const found = await journal.loadSnapshot(STREAM, RECORDS_MAKER);
    if (found === undefined) return new AttemptCollector(RECORDS_MAX);
    const { count, ...state } = found.state as Head;
    const records: EndedAttempt[] = [];
    for (let page = pageOf(state.first); page * PAGE_RECORDS < count; page += 1) {
      const stored = await journal.loadSnapshot(pageStream(page), RECORDS_MAKER);
      // It is damaged: everything is counted again.
      if (stored === undefined) return new AttemptCollector(RECORDS_MAX);
      records.push(...readRecords(stored.state as RecordPage));
    }
    const skipped = state.first - pageOf(state.first) * PAGE_RECORDS;
    this.#position = found.seq;
    this.#saved = found.seq;
    // A page may be newer than the position. Its later records are counted again.
    const kept = records.slice(skipped, skipped + count - state.first);
    return new AttemptCollector(RECORDS_MAX, state, kept);
  }

  /** The pages first: the position must not be ahead of them. */
  async #save(journal: Journal, collector: AttemptCollector): Promise<void> {
    this.#changedFrom = Math.min(this.#changedFrom, collector.takeChanged());
    const { first, records } = collector;
    const count = first + records.length;
    try {
      for (
        let page = pageOf(Math.max(first, this.#changedFrom));
        page * PAGE_RECORDS < count;
        page += 1
      ) {
        const from = Math.max(0, page * PAGE_RECORDS - first);
        const to = (page + 1) * PAGE_RECORDS - first;
        const missing = Math.max(0, first - page * PAGE_RECORDS);
        await this.#put(journal, pageStream(page), writePage(records.slice(from, to), missing));
      }
      await this.#put(journal, STREAM, { ...collector.state(), count } satisfies Head);
      this.#saved = this.#position;
      this.#changedFrom = Infinity;
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // only a cache: a later snapshot will do
    }
  }

  #put(journal: Journal, stream: string, state: unknown): Promise<void> {
    return journal.saveSnapshot(stream, { maker: RECORDS_MAKER, seq: this.#position, state });
  }
}

/** Dropped records leave empty places at the beginning of the first page. */
function writePage(records: readonly EndedAttempt[], missing: number): RecordPage {
  const page = writeRecords(records);
  return { ...page, rows: [...Array.from({ length: missing }, () => []), ...page.rows] };
}

function pageOf(place: number): number {
  return Number.isFinite(place) ? Math.floor(place / PAGE_RECORDS) : Number.MAX_SAFE_INTEGER;
}

function pageStream(page: number): string {
  return `${STREAM}/${page}`;
}
