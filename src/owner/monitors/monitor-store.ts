/**
 * What the monitors remember of those whom they watch, written down as it changes: for the next one of
 * them and for the next owner. What changes while something is written is written together after it.
 */
import type { Clock } from '../../base/clock.ts';
import { canonicalJson } from '../../base/json.ts';
import type { NewMonitorEvent, Remembered, MonitorEvent } from '../../protocol/event.ts';
import { runStream, WATCH_STREAM } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import type { Codec, MonitorMemoryStore, MonitorSignal } from './monitor-memory.ts';
import { MonitorMemory } from './monitor-memory.ts';

const PAGE = 1000;
/** After so many facts all of it is written again, so that nobody has to read further back. */
const KEEP_EVERY = 1000;
/** So many facts at a time. */
const WRITE_MAX = 500;
/** Whether somebody was told is looked for among so many of the last facts of its run. */
const TOLD_WITHIN = 1000;

type WatchPorts = {
  readonly journal: Pick<Journal, 'append' | 'lastSeq' | 'readStream'>;
  readonly clock: Pick<Clock, 'now'>;
};

export class MonitorStore implements MonitorMemoryStore {
  readonly #ports: WatchPorts;
  /** By monitor and whom it watches, as it was last said. */
  readonly #known: Map<string, Remembered>;
  readonly #memories = new Map<string, MonitorMemory<unknown>>();
  readonly #unwritten = new Set<string>();
  #sinceKept: number;
  #writing: Promise<void> | undefined;

  private constructor(ports: WatchPorts, facts: readonly MonitorEvent[]) {
    this.#ports = ports;
    this.#known = facts.reduce(foldRemembered, new Map<string, Remembered>());
    const kept = facts.findLastIndex(({ type }) => type === 'watch.kept');
    this.#sinceKept = facts.length - 1 - kept;
  }

  static async open(ports: WatchPorts): Promise<MonitorStore> {
    const { journal } = ports;
    const pages: (readonly MonitorEvent[])[] = [];
    for (let before = await journal.lastSeq(WATCH_STREAM); before > 0; before -= PAGE) {
      const after = Math.max(0, before - PAGE);
      const page = await journal.readStream(WATCH_STREAM, { after, limit: before - after });
      pages.unshift(page);
      if (page.some(({ type }) => type === 'watch.kept')) break;
    }
    return new MonitorStore(ports, pages.flat());
  }

  /** The same one for every life of a monitor. What can't be read is forgotten. */
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

  /** Written soon; `flushed` tells when that is durable. */
  note(now: Remembered): void {
    const key = keyOf(now);
    const before = this.#known.get(key);
    if (before === undefined ? isNothing(now) : textOf(before) === textOf(now)) return;
    this.#known.set(key, now);
    this.#unwritten.add(key);
    void this.flushed().catch(() => undefined); // it stays unwritten; told to whoever waits for it
  }

  /** Resolves when all that was said is durable; rejects when it could not be written. */
  flushed(): Promise<void> {
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Whether the journal shows that this was told. */
  async isTold({ run, signal, at }: MonitorSignal): Promise<boolean> {
    const { journal } = this.#ports;
    const stream = runStream(run);
    const after = Math.max(0, (await journal.lastSeq(stream)) - TOLD_WITHIN);
    const facts = await journal.readStream(stream, { after, limit: TOLD_WITHIN });
    const words = canonicalJson(signal);
    return facts.some(
      (fact) =>
        fact.type === 'signal.received' &&
        fact.at >= at &&
        canonicalJson(fact.payload.signal) === words,
    );
  }

  async #write(): Promise<void> {
    await Promise.resolve(); // what is said in the same breath is one write
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
      await this.#append(all.map((payload) => ({ type: 'watch.noted', payload })));
    } catch (error) {
      for (const key of keys) this.#unwritten.add(key);
      throw error;
    }
    for (const one of all)
      if (isNothing(one) && this.#known.get(keyOf(one)) === one) this.#known.delete(keyOf(one));
  }

  async #append(noted: readonly NewMonitorEvent[]): Promise<void> {
    const { journal, clock } = this.#ports;
    const isDue = this.#sinceKept + noted.length > KEEP_EVERY;
    const kept: NewMonitorEvent = {
      type: 'watch.kept',
      payload: { all: [...this.#known.values()].filter((one) => !isNothing(one)) },
    };
    const events = isDue ? [...noted, kept] : noted;
    await journal.append(WATCH_STREAM, await journal.lastSeq(WATCH_STREAM), events, clock.now());
    this.#sinceKept = isDue ? 0 : this.#sinceKept + noted.length;
  }
}

function foldRemembered(
  known: Map<string, Remembered>,
  { type, payload }: MonitorEvent,
): Map<string, Remembered> {
  if (type === 'watch.kept') return new Map(payload.all.map((one) => [keyOf(one), one]));
  if (isNothing(payload)) known.delete(keyOf(payload));
  else known.set(keyOf(payload), payload);
  return known;
}

function isNothing({ memory, owes }: Remembered): boolean {
  return memory === null && owes.length === 0;
}

function keyOf({ monitor, who }: Pick<Remembered, 'monitor' | 'who'>): string {
  return `${monitor}\0${who}`;
}

function textOf({ memory, owes }: Remembered): string {
  return JSON.stringify([memory, owes]);
}
