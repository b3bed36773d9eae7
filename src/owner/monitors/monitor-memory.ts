/** What one monitor remembers, of each whom it watches. It outlives the monitor, and its owner. */
import type { RunId } from '../../base/ids.ts';
import type { Remembered, Signal } from '../../protocol/event.ts';
import { sendSignals } from './send-signals.ts';
import type { MonitoredAgents } from '../agents/monitored-agents.ts';

export type Codec<Value> = {
  /** Null: there is nothing that the next owner would have to know. */
  readonly write: (value: Value) => Remembered['memory'];
  /** Undefined: it can't be read. */
  readonly read: (memory: unknown) => Value | undefined;
};

export type PendingSignal = {
  readonly agents: Pick<MonitoredAgents, 'signal'>;
  readonly log: (line: string) => void;
};

export type MonitorSignal = Remembered['owes'][number];

/** Where it is written down. */
export interface MonitorMemoryStore {
  now(): number;
  /** Written soon; `flushed` tells when that is durable. */
  note(now: Remembered): void;
  flushed(): Promise<void>;
  /** Whether the journal shows that this was told. */
  isTold(order: MonitorSignal): Promise<boolean>;
}

type Entry<Value> = { readonly value: Value | undefined; readonly owes: readonly MonitorSignal[] };

export class MonitorMemory<Value> {
  readonly #monitor: string;
  readonly #codec: Codec<Value>;
  readonly #book: MonitorMemoryStore;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(
    monitor: string,
    codec: Codec<Value>,
    remembered: readonly Remembered[],
    book: MonitorMemoryStore,
  ) {
    this.#monitor = monitor;
    this.#codec = codec;
    this.#book = book;
    for (const { who, memory, owes } of remembered) {
      const value = memory === null ? undefined : codec.read(memory);
      if (value !== undefined || owes.length > 0) this.#entries.set(who, { value, owes });
    }
  }

  get(who: string): Value | undefined {
    return this.#entries.get(who)?.value;
  }

  get values(): readonly Value[] {
    return [...this.#entries.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
  }

  set(who: string, value: Value): void {
    this.#put(who, { value, owes: this.#entries.get(who)?.owes ?? [] });
  }

  /** Of the others nothing is remembered any more. */
  keepOnly(isKnown: (who: string) => boolean): void {
    for (const [who, { owes }] of this.#entries)
      if (!isKnown(who)) this.#put(who, { value: undefined, owes });
  }

  /**
   * Remembers it together with what is to be told, and tells it once that is durable. Whoever dies in
   * between is followed by one that tells the rest.
   */
  async act(
    who: string,
    value: Value,
    signals: readonly { readonly run: RunId; readonly signal: Signal }[],
    telling: PendingSignal,
  ): Promise<void> {
    if (signals.length === 0) return this.set(who, value);
    const at = this.#book.now();
    const orders = signals.map(({ run, signal }) => ({ run, signal, at }));
    this.#put(who, { value, owes: [...(this.#entries.get(who)?.owes ?? []), ...orders] });
    await this.#book.flushed();
    await this.#tell(who, orders, telling);
  }

  /** What one before us had decided and may not have told. */
  async settle(telling: PendingSignal): Promise<void> {
    for (const [who, { owes }] of this.#entries)
      for (const order of owes)
        await this.#tell(who, [order], (await this.#book.isTold(order)) ? undefined : telling);
  }

  async #tell(
    who: string,
    orders: readonly MonitorSignal[],
    telling: PendingSignal | undefined,
  ): Promise<void> {
    const byRun = Map.groupBy(orders, ({ run }) => run);
    for (const [run, own] of byRun) {
      const signals = own.map(({ signal }) => signal);
      if (telling !== undefined)
        await sendSignals(run as RunId, signals, telling.agents, telling.log);
    }
    const { value, owes } = this.#entries.get(who) ?? { value: undefined, owes: [] };
    this.#put(who, { value, owes: owes.filter((one) => !orders.includes(one)) });
  }

  #put(who: string, entry: Entry<Value>): void {
    const { value, owes } = entry;
    if (value === undefined && owes.length === 0) this.#entries.delete(who);
    else this.#entries.set(who, entry);
    const memory = value === undefined ? null : this.#codec.write(value);
    this.#book.note({ monitor: this.#monitor, who, memory, owes: [...owes] });
  }
}
