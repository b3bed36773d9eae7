/**
 * Stores the memories of the monitors, for the next start of a monitor and for the next owner.
 * Changes that arrive during a write are combined into the next write.
 */
import { canonicalJson } from '../../base/json.ts';
import type { MonitorRecord, MonitorEvent } from '../../protocol/event.ts';
import { runStream, MONITOR_STREAM } from '../../protocol/streams.ts';
import type { ProjectionPorts } from '../../store/projection.ts';
import { Projection } from '../../store/projection.ts';
import type { Codec, MonitorMemoryStore, MonitorSignal } from './monitor-memory.ts';
import { MonitorMemory } from './monitor-memory.ts';

const SNAPSHOT_EVERY = 1000;
/** The maximum number of facts per write. */
const WRITE_MAX = 500;
/** How many of the last facts of a run are searched for a sent signal. */
const SENT_WITHIN = 1000;

/** By monitor and agent. */
type Known = Map<string, MonitorRecord>;

export class MonitorStore implements MonitorMemoryStore {
  readonly #ports: ProjectionPorts;
  /** The last note of each monitor about each agent. */
  readonly #stored: Projection<Known, typeof MONITOR_STREAM>;
  readonly #memories = new Map<string, MonitorMemory<unknown>>();
  readonly #unwritten = new Set<string>();
  #writing: Promise<void> | undefined;

  private constructor(ports: ProjectionPorts, stored: Projection<Known, typeof MONITOR_STREAM>) {
    this.#ports = ports;
    this.#stored = stored;
  }

  static async open(ports: ProjectionPorts): Promise<MonitorStore> {
    const stored = await Projection.open({
      ...ports,
      stream: MONITOR_STREAM,
      initial: new Map<string, MonitorRecord>(),
      fold: foldMonitorRecord,
      snapshots: {
        kind: 'events',
        every: SNAPSHOT_EVERY,
        type: 'monitor.snapshot',
        make: (known) => ({
          type: 'monitor.snapshot',
          payload: { all: [...known.values()].filter((one) => !isEmpty(one)) },
        }),
      },
    });
    return new MonitorStore(ports, stored);
  }

  get #known(): Map<string, MonitorRecord> {
    return this.#stored.state;
  }

  /**
   * Returns the same memory for each start of a monitor. Values that cannot be read are dropped.
   */
  memory<Value>(monitor: string, codec: Codec<Value>): MonitorMemory<Value> {
    const before = this.#memories.get(monitor);
    if (before !== undefined) return before as MonitorMemory<Value>;
    const own = [...this.#known.values()].filter((one) => one.monitor === monitor);
    const memory = new MonitorMemory(monitor, codec, own, this);
    this.#memories.set(monitor, memory as MonitorMemory<unknown>);
    return memory;
  }

  now(): number {
    return this.#ports.clock.now();
  }

  /** Written soon. `flushed` resolves when it is durable. */
  note(record: MonitorRecord): void {
    const key = memoryKey(record);
    const before = this.#known.get(key);
    if (before === undefined ? isEmpty(record) : toText(before) === toText(record)) return;
    this.#known.set(key, record);
    this.#unwritten.add(key);
    void this.flushed().catch(() => undefined); // it stays unwritten; a caller of `flushed` gets the error
  }

  /** Resolves when everything so far is durable. Rejects if it could not be written. */
  flushed(): Promise<void> {
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Whether the journal shows that this signal was sent. */
  async isSent({ run, signal, at }: MonitorSignal): Promise<boolean> {
    const { journal } = this.#ports;
    const stream = runStream(run);
    const after = Math.max(0, (await journal.lastSeq(stream)) - SENT_WITHIN);
    const facts = await journal.readStream(stream, { after, limit: SENT_WITHIN });
    const text = canonicalJson(signal);
    return facts.some(
      (fact) =>
        fact.type === 'signal.received' &&
        fact.at >= at &&
        canonicalJson(fact.payload.signal) === text,
    );
  }

  async #write(): Promise<void> {
    await Promise.resolve(); // changes of the same tick become one write
    try {
      while (this.#unwritten.size > 0) await this.#writeSome();
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeSome(): Promise<void> {
    const keys = [...this.#unwritten].slice(0, WRITE_MAX);
    const all = keys.flatMap((key) => this.#known.get(key) ?? []);
    for (const key of keys) this.#unwritten.delete(key);
    try {
      const events = all.map((payload) => ({ type: 'monitor.noted' as const, payload }));
      await this.#stored.store(events, 'refuse');
    } catch (error) {
      for (const key of keys) this.#unwritten.add(key);
      throw error;
    }
    for (const one of all)
      if (isEmpty(one) && this.#known.get(memoryKey(one)) === one)
        this.#known.delete(memoryKey(one));
  }
}

function foldMonitorRecord(
  known: Map<string, MonitorRecord>,
  { type, payload }: MonitorEvent,
): Map<string, MonitorRecord> {
  if (type === 'monitor.snapshot') return new Map(payload.all.map((one) => [memoryKey(one), one]));
  if (isEmpty(payload)) known.delete(memoryKey(payload));
  else known.set(memoryKey(payload), payload);
  return known;
}

function isEmpty({ memory, unsent }: MonitorRecord): boolean {
  return memory === null && unsent.length === 0;
}

function memoryKey({ monitor, subject }: Pick<MonitorRecord, 'monitor' | 'subject'>): string {
  return `${monitor}\0${subject}`;
}

function toText({ memory, unsent }: MonitorRecord): string {
  return JSON.stringify([memory, unsent]);
}
