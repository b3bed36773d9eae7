/** The durable book of cooldowns, one for all projects of a home: facts in a stream of their own. */
import type { Clock } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import type { NewCooldownEvent, Payload } from '../protocol/event.ts';
import { COOLDOWN_REASON_MAX, COOLDOWN_STREAM } from '../protocol/event.ts';
import type { Json } from '../base/json.ts';
import { Serial } from '../base/serial.ts';
import type { Journal } from '../store/journal.ts';
import type { Cooldown, Cooldowns, CoolingAgent } from './cooldown-state.ts';
import { NO_COOLDOWNS, coolingAt, foldCooldowns, isKnown } from './cooldown-state.ts';

export type CooldownStorePorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  /** After so many facts the fold is kept, so that an owner starts as fast in its third year. */
  readonly snapshotEvery?: number;
};

const PAGE = 1000;
const SNAPSHOT_EVERY = 500;
const MAKER = 'cooldowns@1';

export class CooldownStore {
  readonly #ports: CooldownStorePorts;
  #cooldowns: Cooldowns = NO_COOLDOWNS;
  /** The last fact of the stream that is folded, and that a snapshot has. */
  #seq = 0;
  #kept = 0;
  readonly #serial = new Serial();

  private constructor(ports: CooldownStorePorts) {
    this.#ports = ports;
  }

  static async open(ports: CooldownStorePorts): Promise<CooldownStore> {
    const book = new CooldownStore(ports);
    await book.#read();
    return book;
  }

  /** Written once, however often it is said; what was already over is no news either. */
  cool({ reason, ...said }: Payload<'cooldown.set'>): Promise<void> {
    const fact = { ...said, reason: clipped(reason) };
    return this.#serial.run(async () => {
      if (isKnown(this.#cooldowns, fact)) return;
      await this.#write({ type: 'cooldown.set', payload: fact });
    });
  }

  /** Those that rest now, the first to be free first. */
  cooling(): readonly CoolingAgent[] {
    return coolingAt(this.#cooldowns, this.#ports.clock.now());
  }

  /** Lets those be tried again that rest now and of which `which` is true. Resolves with them. */
  clear(which: (cooldown: CoolingAgent) => boolean): Promise<readonly CoolingAgent[]> {
    return this.#serial.run(async () => {
      const found = this.cooling().filter((cooldown) => which(cooldown));
      const identities = found.map(({ identity }) => identity);
      if (identities.length > 0)
        await this.#write({ type: 'cooldown.cleared', payload: { identities } });
      return found;
    });
  }

  async #write(event: NewCooldownEvent): Promise<void> {
    const { journal, clock } = this.#ports;
    const stored = await journal.append(COOLDOWN_STREAM, this.#seq, [event], clock.now());
    this.#cooldowns = stored.reduce(foldCooldowns, this.#cooldowns);
    this.#seq = stored.at(-1)?.seq ?? this.#seq;
    await this.#keep();
  }

  async #read(): Promise<void> {
    const { journal } = this.#ports;
    const kept = await journal.loadSnapshot(COOLDOWN_STREAM, MAKER);
    if (kept !== undefined) {
      const list = kept.state as unknown as readonly Cooldown[];
      this.#cooldowns = new Map(list.map((one) => [one.identity, one]));
      this.#seq = kept.seq;
      this.#kept = kept.seq;
    }
    for (;;) {
      const page = await journal.readStream(COOLDOWN_STREAM, { after: this.#seq, limit: PAGE });
      this.#cooldowns = page.reduce(foldCooldowns, this.#cooldowns);
      this.#seq = page.at(-1)?.seq ?? this.#seq;
      if (page.length < PAGE) return this.#keep();
    }
  }

  async #keep(): Promise<void> {
    const { snapshotEvery = SNAPSHOT_EVERY } = this.#ports;
    if (this.#seq - this.#kept < snapshotEvery) return;
    const state = [...this.#cooldowns.values()] as unknown as Json;
    const snapshot = { maker: MAKER, seq: this.#seq, state };
    try {
      await this.#ports.journal.saveSnapshot(COOLDOWN_STREAM, snapshot);
      this.#kept = this.#seq;
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // only a cache: the next one will do
    }
  }
}

function clipped(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim();
  return line.length <= COOLDOWN_REASON_MAX ? line : `${line.slice(0, COOLDOWN_REASON_MAX - 1)}…`;
}
