/**
 * Who was restarted how often: the window of the supervisor, those of children that have one, and
 * how long each is to wait. It can be written down and read back, so that a crash loop is still
 * one after our own restart.
 *
 * Inside, moments are of elapsed time, so that a wall clock that is set neither counts nor forgets
 * a restart. Elapsed time means nothing to the next process, so what is written down are instants.
 * They meet as ages, twice: an instant that is read is as old as the wall clock of that moment says
 * (one of the future happened just now), and one that is written is told by the wall clock of then.
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
  /** Restarts since it was last well: see `Backoff`. */
  readonly streak: number;
};

type Entry = {
  readonly window: RestartWindow | undefined;
  /** Restarts since it was last well. */
  streak: number;
  startedMs: number | undefined;
};

export type RestartAdmission =
  | { readonly kind: 'admitted'; readonly delayMs: number }
  | { readonly kind: 'one-too-many'; readonly of: 'supervisor' | 'child' };

export class RestartTracker {
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #window: RestartWindow;
  readonly #backoff: Backoff | undefined;
  /** Only of children that have a window of their own or a backoff. */
  readonly #entries = new Map<string, Entry>();
  /** Of children that have not been looked at yet; in elapsed time. */
  readonly #past: Map<string, ChildHistory>;

  constructor(
    clock: Pick<Clock, 'now' | 'elapsedMs'>,
    intensity: Intensity,
    backoff?: Backoff,
    past: RestartHistory = { restarts: [], children: {} },
  ) {
    this.#clock = clock;
    this.#backoff = backoff;
    const recall = this.#recall();
    this.#window = new RestartWindow(intensity, recall(past.restarts));
    this.#past = new Map(
      Object.entries(past.children).map(([id, child]) => [
        id,
        { ...child, restarts: recall(child.restarts) },
      ]),
    );
  }

  /** Counts one more restart, or says whose window is full; then nothing is counted. */
  admit(spec: ChildSpec, luck: number): RestartAdmission {
    const nowMs = this.#clock.elapsedMs();
    const backoff = spec.backoff ?? this.#backoff;
    const entry = this.#entry(spec);
    if (entry?.window?.admit(nowMs) === false) return { kind: 'one-too-many', of: 'child' };
    if (!this.#window.admit(nowMs)) return { kind: 'one-too-many', of: 'supervisor' };
    if (entry === undefined || backoff === undefined) return { kind: 'admitted', delayMs: 0 };
    const { startedMs } = entry;
    if (startedMs !== undefined && isHealthy(backoff, nowMs - startedMs)) entry.streak = 0;
    entry.startedMs = undefined;
    const delayMs = backoffMs(backoff, entry.streak, luck);
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

  /** Instants as moments of elapsed time, by the wall clock as it is now. */
  #recall(): (instants: readonly number[]) => readonly number[] {
    const [now, nowMs] = [this.#clock.now(), this.#clock.elapsedMs()];
    return (instants) => instants.map((then) => nowMs - Math.max(0, now - then));
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
