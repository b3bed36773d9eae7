/**
 * Counts restarts: in the window of the supervisor, in the windows of children that have one, and for
 * the backoff of each child. The history can be stored and read back, so that a crash loop is still
 * recognised after a restart of this process.
 *
 * In memory, times are elapsed times, so setting the wall clock neither adds nor drops a restart.
 * Elapsed time means nothing to another process, so stored times are wall-clock instants. Both are
 * converted by age at the moment of reading or writing. A stored instant in the future counts as now.
 */
import type { Clock } from '../base/clock.ts';
import type { Backoff } from './backoff.ts';
import { backoffMs, isHealthy } from './backoff.ts';
import type { ChildSpec } from './child.ts';
import type { Intensity } from './restart-window.ts';
import { RestartWindow } from './restart-window.ts';

/** Plain JSON; instants are milliseconds since 1970. */
export type RestartHistory = {
  readonly restarts: readonly number[];
  readonly children: Readonly<Record<string, ChildHistory>>;
};

type ChildHistory = {
  readonly restarts: readonly number[];
  /** Restarts since the child was last healthy: see `Backoff`. */
  readonly streak: number;
};

type Entry = {
  readonly window: RestartWindow | undefined;
  /** Restarts since the child was last healthy. */
  streak: number;
  startedMs: number | undefined;
};

export type RestartAdmission =
  | { readonly kind: 'admitted'; readonly delayMs: number }
  | { readonly kind: 'one-too-many'; readonly window: 'supervisor' | 'child' };

export class RestartTracker {
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #window: RestartWindow;
  readonly #backoff: Backoff | undefined;
  /** Only children that have their own window or a backoff. */
  readonly #entries = new Map<string, Entry>();
  /** The stored history of children that were not needed yet, in elapsed time. */
  readonly #past: Map<string, ChildHistory>;

  constructor(
    clock: Pick<Clock, 'now' | 'elapsedMs'>,
    intensity: Intensity,
    backoff?: Backoff,
    past: RestartHistory = { restarts: [], children: {} },
  ) {
    this.#clock = clock;
    this.#backoff = backoff;
    const toElapsed = this.#elapsedConverter();
    this.#window = new RestartWindow(intensity, toElapsed(past.restarts));
    this.#past = new Map(
      Object.entries(past.children).map(([id, child]) => [
        id,
        { ...child, restarts: toElapsed(child.restarts) },
      ]),
    );
  }

  /** Counts one more restart, or names the window that is full and counts nothing. */
  admit(spec: ChildSpec, random: number): RestartAdmission {
    const nowMs = this.#clock.elapsedMs();
    const backoff = spec.backoff ?? this.#backoff;
    const entry = this.#entry(spec);
    if (entry?.window?.admit(nowMs) === false) return { kind: 'one-too-many', window: 'child' };
    if (!this.#window.admit(nowMs)) return { kind: 'one-too-many', window: 'supervisor' };
    if (entry === undefined || backoff === undefined) return { kind: 'admitted', delayMs: 0 };
    const { startedMs } = entry;
    if (startedMs !== undefined && isHealthy(backoff, nowMs - startedMs)) entry.streak = 0;
    entry.startedMs = undefined;
    const delayMs = backoffMs(backoff, entry.streak, random);
    entry.streak += 1;
    return { kind: 'admitted', delayMs };
  }

  started(spec: ChildSpec): void {
    const entry = this.#entry(spec);
    if (entry !== undefined) entry.startedMs = this.#clock.elapsedMs();
  }

  forget(id: string): void {
    this.#entries.delete(id);
    this.#past.delete(id);
  }

  get history(): RestartHistory {
    const [now, nowMs] = [this.#clock.now(), this.#clock.elapsedMs()];
    const instants = (moments: readonly number[]): readonly number[] =>
      moments.map((ms) => Math.round(now - (nowMs - ms)));
    const children = new Map(this.#past);
    for (const [id, { window, streak }] of this.#entries)
      children.set(id, { restarts: window?.past ?? [], streak });
    return {
      restarts: instants(this.#window.past),
      children: Object.fromEntries(
        [...children].map(([id, child]) => [id, { ...child, restarts: instants(child.restarts) }]),
      ),
    };
  }

  /** Converts instants to elapsed times, by the current wall clock. */
  #elapsedConverter(): (instants: readonly number[]) => readonly number[] {
    const [now, nowMs] = [this.#clock.now(), this.#clock.elapsedMs()];
    return (instants) => instants.map((instant) => nowMs - Math.max(0, now - instant));
  }

  #entry(spec: ChildSpec): Entry | undefined {
    const { id, intensity } = spec;
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    if (intensity === undefined && (spec.backoff ?? this.#backoff) === undefined) return undefined;
    const { restarts = [], streak = 0 } = this.#past.get(id) ?? {};
    const window = intensity === undefined ? undefined : new RestartWindow(intensity, restarts);
    const entry = { window, streak, startedMs: undefined };
    this.#entries.set(id, entry);
    this.#past.delete(id);
    return entry;
  }
}
