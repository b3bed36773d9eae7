/**
 * Who was restarted how often: the window of the supervisor, those of children that have one, and
 * how long each is to wait. It can be written down and read back, so that a crash loop is still
 * one after our own restart.
 */
import type { Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';
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
  startedAt: Instant | undefined;
};

export type Admission =
  | { readonly kind: 'admitted'; readonly delayMs: number }
  | { readonly kind: 'one-too-many'; readonly of: 'supervisor' | 'child' };

export class RestartBook {
  readonly #window: RestartWindow;
  readonly #backoff: Backoff | undefined;
  /** Only of children that have a window of their own or a backoff. */
  readonly #entries = new Map<string, Entry>();
  /** Of children that have not been looked at yet. */
  readonly #past: Map<string, ChildHistory>;

  constructor(intensity: Intensity, backoff?: Backoff, past?: RestartHistory) {
    this.#window = new RestartWindow(intensity, past?.restarts.map(at));
    this.#backoff = backoff;
    this.#past = new Map(Object.entries(past?.children ?? {}));
  }

  /** Counts one more restart, or says whose window is full; then nothing is counted. */
  admit(spec: ChildSpec, now: Instant, luck: number): Admission {
    const backoff = spec.backoff ?? this.#backoff;
    const entry = this.#entry(spec);
    if (entry?.window?.admit(now) === false) return { kind: 'one-too-many', of: 'child' };
    if (!this.#window.admit(now)) return { kind: 'one-too-many', of: 'supervisor' };
    if (entry === undefined || backoff === undefined) return { kind: 'admitted', delayMs: 0 };
    const { startedAt } = entry;
    if (startedAt !== undefined && isHealthy(backoff, now - startedAt)) entry.streak = 0;
    entry.startedAt = undefined;
    const delayMs = backoffMs(backoff, entry.streak, luck);
    entry.streak += 1;
    return { kind: 'admitted', delayMs };
  }

  started(spec: ChildSpec, now: Instant): void {
    const entry = this.#entry(spec);
    if (entry !== undefined) entry.startedAt = now;
  }

  forget(id: string): void {
    this.#entries.delete(id);
    this.#past.delete(id);
  }

  get history(): RestartHistory {
    const children = new Map(this.#past);
    for (const [id, { window, streak }] of this.#entries)
      children.set(id, { restarts: window?.past ?? [], streak });
    return { restarts: this.#window.past, children: Object.fromEntries(children) };
  }

  #entry(spec: ChildSpec): Entry | undefined {
    const { id, intensity } = spec;
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    if (intensity === undefined && (spec.backoff ?? this.#backoff) === undefined) return undefined;
    const { restarts = [], streak = 0 } = this.#past.get(id) ?? {};
    const window =
      intensity === undefined ? undefined : new RestartWindow(intensity, restarts.map(at));
    const entry = { window, streak, startedAt: undefined };
    this.#entries.set(id, entry);
    this.#past.delete(id);
    return entry;
  }
}
