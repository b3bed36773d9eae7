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
  /** Admitted and not started yet: its start may be any moment, so it counts against every window. */
  readonly #aboutToStart = new Map<string, number>();
  /** In the order in which they first asked. */
  #waiters: readonly Waiter[] = [];

  constructor(limits: readonly Limit[]) {
    this.#limits = limits;
  }

  /** How far back a start may lie and still matter. */
  get windowMs(): number {
    return Math.max(0, ...this.#limits.map(({ rate }) => rate?.perMs ?? 0));
  }

  /** Takes a place when there is one. Else the asker keeps its turn in the line, and false. */
  admit(token: string, keys: readonly string[], now: Instant): boolean {
    const turn = this.#waiters.findIndex((waiter) => waiter.token === token);
    const ahead = turn === -1 ? this.#waiters : this.#waiters.slice(0, turn);
    const { promised } = this.#serve(ahead, now);
    if (!this.#hasRoom(keys, now, promised)) {
      if (turn === -1) this.#waiters = [...this.#waiters, { token, keys }];
      return false;
    }
    this.forget(token);
    change(this.#running, keys, 1);
    change(this.#aboutToStart, keys, 1);
    return true;
  }

  /** What was admitted begins now, which is when its windows open. */
  started(keys: readonly string[], now: Instant): void {
    change(this.#aboutToStart, keys, -1);
    this.remember(keys, now, now);
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
    change(this.#running, keys, -1);
  }

  /** Whoever waited under this token no longer wants to start. */
  forget(token: string): void {
    this.#waiters = this.#waiters.filter((waiter) => waiter.token !== token);
  }

  /** Who waits, first in line first. */
  waiting(): readonly string[] {
    return this.#waiters.map(({ token }) => token);
  }

  /** Those of them who would be admitted now. */
  ready(now: Instant): readonly string[] {
    return this.#serve(this.#waiters, now).ready;
  }

  /** When a rate next lets somebody start; undefined when nobody waits for a rate. */
  nextChance(now: Instant): Instant | undefined {
    const chances = this.#waiters
      .flatMap(({ keys }) => keys)
      .flatMap((key) => {
        const rate = this.#limitOf(key)?.rate;
        if (rate === undefined) return [];
        const free = rate.startsMax - (this.#aboutToStart.get(key) ?? 0);
        const oldest = free > 0 ? this.#recent(key, now).at(-free) : undefined;
        return oldest === undefined ? [] : [after(oldest, rate.perMs)];
      });
    return chances.length === 0 ? undefined : at(Math.min(...chances));
  }

  #limitOf(key: string): Limit | undefined {
    return this.#limits.find((limit) =>
      limit.key.endsWith('*') ? key.startsWith(limit.key.slice(0, -1)) : limit.key === key,
    );
  }

  /** Goes along the line: who has room, and what that leaves for those behind. */
  #serve(
    line: readonly Waiter[],
    now: Instant,
  ): { readonly ready: readonly string[]; readonly promised: ReadonlyMap<string, number> } {
    const promised = new Map<string, number>();
    const ready = line.filter(({ keys }) => {
      const hasRoom = this.#hasRoom(keys, now, promised);
      if (hasRoom) change(promised, keys, 1);
      return hasRoom;
    });
    return { ready: ready.map(({ token }) => token), promised };
  }

  #hasRoom(keys: readonly string[], now: Instant, promised: ReadonlyMap<string, number>): boolean {
    return keys.every((key) => {
      const { concurrencyMax = Infinity, rate } = this.#limitOf(key) ?? {};
      const taken = promised.get(key) ?? 0;
      if ((this.#running.get(key) ?? 0) + taken >= concurrencyMax) return false;
      if (rate === undefined) return true;
      const starting = this.#recent(key, now).length + (this.#aboutToStart.get(key) ?? 0);
      return starting + taken < rate.startsMax;
    });
  }

  /** A start that lies in the future (the clock was set back) still counts, but never for longer than the window. */
  #recent(key: string, now: Instant): Instant[] {
    const perMs = this.#limitOf(key)?.rate?.perMs ?? 0;
    return (this.#starts.get(key) ?? []).filter((start) => Math.abs(now - start) < perMs);
  }
}

function change(counts: Map<string, number>, keys: readonly string[], by: number): void {
  for (const key of keys) {
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }
}
