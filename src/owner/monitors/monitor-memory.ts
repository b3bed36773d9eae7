/**
 * The memory of one monitor about each agent or gang that it watches. It outlives the monitor and
 * its owner.
 */
import type { RunId } from '../../base/ids.ts';
import type { MonitorRecord } from '../../protocol/event.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { MonitoredAgents } from '../agents/monitored-agents.ts';
import { describeError, isRefusal } from '../../base/errors.ts';

export type Codec<Value> = {
  /** Null if the next owner needs nothing of it. */
  readonly write: (value: Value) => MonitorRecord['memory'];
  /** Undefined if it cannot be read. */
  readonly read: (memory: unknown) => Value | undefined;
};

export type SignalPorts = {
  readonly agents: Pick<MonitoredAgents, 'signal'>;
  readonly log: (line: string) => void;
};

export type MonitorSignal = MonitorRecord['unsent'][number];

/** The store of the memories. */
export interface MonitorMemoryStore {
  now(): number;
  /** Written soon. `flushed` resolves when it is durable. */
  note(record: MonitorRecord): void;
  flushed(): Promise<void>;
  /** Whether the journal shows that this signal was sent. */
  isSent(unsent: MonitorSignal): Promise<boolean>;
}

type Entry<Value> = {
  readonly value: Value | undefined;
  readonly unsent: readonly MonitorSignal[];
};

export class MonitorMemory<Value> {
  readonly #monitor: string;
  readonly #codec: Codec<Value>;
  readonly #store: MonitorMemoryStore;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(
    monitor: string,
    codec: Codec<Value>,
    remembered: readonly MonitorRecord[],
    store: MonitorMemoryStore,
  ) {
    this.#monitor = monitor;
    this.#codec = codec;
    this.#store = store;
    for (const { subject, memory, unsent } of remembered) {
      const value = memory === null ? undefined : codec.read(memory);
      if (value !== undefined || unsent.length > 0) this.#entries.set(subject, { value, unsent });
    }
  }

  get(subject: string): Value | undefined {
    return this.#entries.get(subject)?.value;
  }

  get values(): readonly Value[] {
    return [...this.#entries.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
  }

  set(subject: string, value: Value): void {
    this.#put(subject, { value, unsent: this.#entries.get(subject)?.unsent ?? [] });
  }

  /** Removes the values of all others. */
  keepOnly(isKnown: (subject: string) => boolean): void {
    for (const [subject, { unsent }] of this.#entries)
      if (!isKnown(subject)) this.#put(subject, { value: undefined, unsent });
  }

  /**
   * Stores the value together with the signals to send, and sends them when that is durable. If the
   * monitor dies in between, the next one sends the rest.
   */
  async setAndSend(
    subject: string,
    value: Value,
    signals: readonly { readonly run: RunId; readonly signal: Signal }[],
    ports: SignalPorts,
  ): Promise<void> {
    if (signals.length === 0) return this.set(subject, value);
    const at = this.#store.now();
    const pending = signals.map(({ run, signal }) => ({ run, signal, at }));
    this.#put(subject, {
      value,
      unsent: [...(this.#entries.get(subject)?.unsent ?? []), ...pending],
    });
    await this.#store.flushed();
    await this.#send(subject, pending, ports);
  }

  /** Sends the signals that a previous monitor had decided and may not have sent. */
  async sendPending(ports: SignalPorts): Promise<void> {
    for (const [subject, { unsent }] of this.#entries)
      for (const one of unsent)
        await this.#send(subject, [one], (await this.#store.isSent(one)) ? undefined : ports);
  }

  async #send(
    subject: string,
    pending: readonly MonitorSignal[],
    ports: SignalPorts | undefined,
  ): Promise<void> {
    const byRun = Map.groupBy(pending, ({ run }) => run);
    for (const [run, ofRun] of byRun) {
      const signals = ofRun.map(({ signal }) => signal);
      if (ports !== undefined) await sendSignals(run as RunId, signals, ports.agents, ports.log);
    }
    const { value, unsent } = this.#entries.get(subject) ?? { value: undefined, unsent: [] };
    this.#put(subject, { value, unsent: unsent.filter((one) => !pending.includes(one)) });
  }

  #put(subject: string, entry: Entry<Value>): void {
    const { value, unsent } = entry;
    if (value === undefined && unsent.length === 0) this.#entries.delete(subject);
    else this.#entries.set(subject, entry);
    const memory = value === undefined ? null : this.#codec.write(value);
    this.#store.note({ monitor: this.#monitor, subject, memory, unsent: [...unsent] });
  }
}

/** Sends the signals in order. An agent that has ended meanwhile needs none of them. */
async function sendSignals(
  run: RunId,
  signals: readonly Signal[],
  agents: Pick<MonitoredAgents, 'signal'>,
  log: (line: string) => void,
): Promise<void> {
  for (const signal of signals) {
    try {
      await agents.signal(run, signal);
    } catch (error) {
      if (isRefusal(error, 'run.already-ended') || isRefusal(error, 'run.not-found')) return;
      if (!isRefusal(error)) throw error; // the journal cannot be written, which the supervisor has to handle
      log(`could not send ${signal.kind} to ${run}: ${describeError(error)}`);
    }
  }
}
