/**
 * How much of a thing may run at once, and how often it may start, per key (`attempts`,
 * `project:/home/me/app`, an agent's identity). First come, first served, except that whoever
 * waits for a full key never holds up another who does not need that key.
 */
import type { Instant } from '../base/clock.ts';
import { after, at } from '../base/clock.ts';

export type Limit = {
  /** A key, or a family of keys with a star at its end: `project:*` limits each project by itself. */
  readonly key: string;
  readonly concurrencyMax?: number;
  readonly rate?: { readonly startsMax: number; readonly perMs: number };
};

type Waiter = { readonly token: string; readonly keys: readonly string[] };

export class LimitBook {
  readonly #limits: readonly Limit[];
  readonly #running = new Map<string, number>();
  readonly #starts = new Map<string, Instant[]>();
  /** In the order in which they first asked. */
  #waiters: readonly Waiter[] = [];

  constructor(limits: readonly Limit[]) {
    this.#limits = limits;
  }

  /** How far back a start may lie and still matter. */
  get windowMs(): number {
    return Math.max(0, ...this.#limits.map(({ rate }) => rate?.perMs ?? 0));
  }

  /** Counts a start when there is room for it. Else the asker keeps its place in the line, and false. */
  admit(token: string, keys: readonly string[], now: Instant): boolean {
    const place = this.#waiters.findIndex((waiter) => waiter.token === token);
    const ahead = place === -1 ? this.#waiters : this.#waiters.slice(0, place);
    const wantedByOthers = new Set(ahead.flatMap((waiter) => this.#full(waiter.keys, now)));
    const free = this.#full(keys, now).length === 0 && !keys.some((key) => wantedByOthers.has(key));
    if (!free) {
      if (place === -1) this.#waiters = [...this.#waiters, { token, keys }];
      return false;
    }
    this.forget(token);
    this.remember(keys, now, now);
    for (const key of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return true;
  }

  /** Counts a start for the rates alone: this one, or one that an earlier owner made, in any order. */
  remember(keys: readonly string[], start: Instant, now: Instant): void {
    for (const key of keys) {
      if (this.#limitOf(key)?.rate === undefined) continue;
      this.#starts.set(
        key,
        [...this.#recent(key, now), start].toSorted((a, b) => a - b),
      );
    }
  }

  ended(keys: readonly string[]): void {
    for (const key of keys) {
      const left = (this.#running.get(key) ?? 0) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
    }
  }

  /** Whoever waited under this token no longer wants to start. */
  forget(token: string): void {
    this.#waiters = this.#waiters.filter((waiter) => waiter.token !== token);
  }

  /** Who waits, first in line first. */
  waiting(): readonly string[] {
    return this.#waiters.map(({ token }) => token);
  }

  /** When a rate next lets somebody start; undefined when nobody waits for a rate. */
  nextChance(now: Instant): Instant | undefined {
    const chances = this.#waiters
      .flatMap(({ keys }) => keys)
      .flatMap((key) => {
        const rate = this.#limitOf(key)?.rate;
        const recent = this.#recent(key, now);
        const oldest = rate === undefined ? undefined : recent.at(-rate.startsMax);
        return rate === undefined || oldest === undefined ? [] : [after(oldest, rate.perMs)];
      });
    return chances.length === 0 ? undefined : at(Math.min(...chances));
  }

  #limitOf(key: string): Limit | undefined {
    return this.#limits.find((limit) =>
      limit.key.endsWith('*') ? key.startsWith(limit.key.slice(0, -1)) : limit.key === key,
    );
  }

  #full(keys: readonly string[], now: Instant): readonly string[] {
    return keys.filter((key) => {
      const limit = this.#limitOf(key);
      if (limit === undefined) return false;
      const { concurrencyMax, rate } = limit;
      if (concurrencyMax !== undefined && (this.#running.get(key) ?? 0) >= concurrencyMax)
        return true;
      return rate !== undefined && this.#recent(key, now).length >= rate.startsMax;
    });
  }

  /** A start that lies in the future (the clock was set back) still counts, but never for longer than the window. */
  #recent(key: string, now: Instant): Instant[] {
    const perMs = this.#limitOf(key)?.rate?.perMs ?? 0;
    return (this.#starts.get(key) ?? []).filter((start) => Math.abs(now - start) < perMs);
  }
}
