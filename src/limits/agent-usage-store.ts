/** Counts uses as the journal grows: it reads on from where it was, and keeps the count now and then. */
import type { Json } from '../base/json.ts';
import { Serial } from '../base/serial.ts';
import { COOLDOWN_STREAM } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';
import type { AgentUsageCounts } from './agent-usage.ts';
import { UsageCounter } from './agent-usage.ts';

const PAGE = 500;
const SNAPSHOT_EVERY = 2000;
/** Where no count is kept, facts further back are not counted: a first look must not take minutes. */
const LOOK_BACK_MAX = 100_000;
const MAKER = 'uses@1';

export class AgentUsageStore {
  readonly #journal: Journal;
  #count = new UsageCounter();
  /** The id of the last fact that is counted, and that the kept count has; undefined: not begun. */
  #id: number | undefined;
  #kept = 0;
  readonly #serial = new Serial();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** All that is committed when it is called. */
  read(): Promise<AgentUsageCounts> {
    return this.#serial.run(() => this.#catchUp());
  }

  async #catchUp(): Promise<AgentUsageCounts> {
    const last = await this.#journal.lastId();
    let id = this.#id ?? (await this.#begin(last));
    while (id < last) {
      const page = await this.#journal.readAll({
        after: id,
        limit: PAGE,
        skipsDamaged: true, // a use that can't be read is one run's; all others wait for this count
      });
      for (const event of page) this.#count.take(event);
      id = page.at(-1)?.id ?? last;
      this.#id = id;
    }
    const uses = this.#count.uses();
    if (id - this.#kept >= SNAPSHOT_EVERY) await this.#keep(id, uses);
    return uses;
  }

  async #begin(last: number): Promise<number> {
    const kept = await this.#journal.loadSnapshot(COOLDOWN_STREAM, MAKER);
    // A count of an older release says nothing of those who wait.
    this.#count = new UsageCounter(kept?.state as Partial<AgentUsageCounts> | undefined);
    this.#kept = kept?.seq ?? 0;
    return Math.max(this.#kept, last - LOOK_BACK_MAX);
  }

  async #keep(id: number, uses: AgentUsageCounts): Promise<void> {
    const state = uses as unknown as Json;
    await this.#journal.saveSnapshot(COOLDOWN_STREAM, { maker: MAKER, seq: id, state });
    this.#kept = id;
  }
}
