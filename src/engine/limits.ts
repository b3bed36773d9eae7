/**
 * How much of a thing may run at once, and how often it may start, per key (`attempts`,
 * `project:/home/me/app`, an agent's identity). First come, first served, except that whoever
 * waits for a full key does not hold up another who does not need that key (within PATIENCE).
 */
import type { Instant } from '../base/clock.ts';
import { after, at } from '../base/clock.ts';

export type Limit = {
  /** A key, or a family of keys with a star at its end: `project:*` limits each project by itself. */
  readonly key: string;
  readonly concurrencyMax?: number;
  /** It counts runs: one that was let in keeps its place between its commands, until its end, and across owners. Without a rate. */
  readonly ofRuns?: boolean;
  readonly rate?: { readonly startsMax: number; readonly perMs: number };
};

/** A key to be counted under; with `max`, for whom that holds instead of what the limit says for all. */
export type LimitRequest = string | { readonly key: string; readonly max: number };

export function limitKey(wish: LimitRequest): string {
  return typeof wish === 'string' ? wish : wish.key;
}

/** By key, how many of it there may be for this one; undefined: as many as the limit says. */
type Wanted = ReadonlyMap<string, number | undefined>;

type Waiter = {
  readonly token: string;
  readonly wanted: Wanted;
  /** How often another took a key that this one needs too. */
  readonly passed: number;
};

/** What those further ahead in the line will take as soon as they are asked, per key. */
type Claims = Map<string, number>;

/** Who waits for two keys that are never free together gets both kept for it after this. */
const PATIENCE = 16;

export class LimitPool {
  readonly #limits: readonly Limit[];
  readonly #changed: () => void;
  readonly #running = new Map<string, number>();
  /** Admitted and not started yet: its start may be any moment, so it counts against every window. */
  readonly #aboutToStart = new Map<string, number>();
  /** The latest starts of each key that has a rate, oldest first, no more than its window holds. */
  readonly #starts = new Map<string, readonly Instant[]>();
  /** In the order in which they first asked. */
  #waiters: readonly Waiter[] = [];

  /** `changed` is called when somebody in the line may be able to start now, or has joined it. */
  constructor(limits: readonly Limit[], changed: () => void = () => undefined) {
    this.#limits = limits;
    this.#changed = changed;
  }

  /** How far back a start may lie and still matter. */
  get windowMs(): number {
    return Math.max(0, ...this.#limits.map(({ rate }) => rate?.perMs ?? 0));
  }

  isOfRuns(key: string): boolean {
    return this.#limitOf(key)?.ofRuns === true;
  }

  /** Takes a place when there is one. Else the asker keeps its turn in the line, and false. */
  admit(token: string, wishes: readonly LimitRequest[], now: Instant): boolean {
    const wanted = wantedOf(wishes);
    const keys = [...wanted.keys()];
    const place = this.#waiters.findIndex((waiter) => waiter.token === token);
    const ahead = place === -1 ? this.#waiters : this.#waiters.slice(0, place);
    const claims: Claims = new Map();
    for (const waiter of ahead) this.#claim(waiter, claims, now);
    if (this.#anyFull(wanted, claims, now)) {
      // Whoever has taken a place meanwhile that its other commands share needs it no more.
      if (place !== -1 && this.#waiters[place]?.wanted.size === wanted.size) return false;
      const passed = this.#waiters[place]?.passed ?? 0;
      const turn = place === -1 ? this.#waiters.length : place;
      this.#waiters = this.#waiters.toSpliced(turn, 1, { token, wanted, passed });
      this.#changed();
      return false;
    }
    this.#waiters = this.#waiters.map((waiter) =>
      ahead.includes(waiter) && keys.some((key) => waiter.wanted.has(key))
        ? { ...waiter, passed: waiter.passed + 1 }
        : waiter,
    );
    change(this.#running, keys, 1);
    change(this.#aboutToStart, keys, 1);
    this.forget(token);
    return true;
  }

  /** Takes the places that somebody had before this book was opened: they are theirs, full or not. */
  reclaim(keys: readonly string[]): void {
    change(this.#running, keys, 1);
  }

  /** What was admitted begins now, which is when its windows open. */
  started(keys: readonly string[], now: Instant): void {
    change(this.#aboutToStart, keys, -1);
    this.remember(keys, now, now);
    if (keys.length > 0) this.#changed();
  }

  /** What was admitted will not begin after all. */
  withdrawn(keys: readonly string[]): void {
    change(this.#aboutToStart, keys, -1);
    this.ended(keys);
  }

  /** Counts a start for the rates alone: this one, or one that an earlier owner made. */
  remember(keys: readonly string[], start: Instant, now: Instant): void {
    for (const key of keys) {
      const startsMax = this.#limitOf(key)?.rate?.startsMax;
      if (startsMax === undefined) continue;
      const starts = [...(this.#starts.get(key) ?? []), start].toSorted((a, b) => a - b);
      this.#starts.set(key, starts.slice(-startsMax));
    }
    for (const key of this.#starts.keys()) this.#recent(key, now);
  }

  ended(keys: readonly string[]): void {
    change(this.#running, keys, -1);
    if (keys.length > 0) this.#changed();
  }

  /** Whoever waited under this token no longer wants to start. */
  forget(token: string): void {
    const left = this.#waiters.filter((waiter) => waiter.token !== token);
    if (left.length === this.#waiters.length) return;
    this.#waiters = left;
    this.#changed();
  }

  /** Who waits, first in line first. */
  waiting(): readonly string[] {
    return this.#waiters.map(({ token }) => token);
  }

  /** Those of the line who would be let in if they asked now, in their order. */
  ready(now: Instant): readonly string[] {
    const claims: Claims = new Map();
    return this.#waiters
      .filter((waiter) => this.#claim(waiter, claims, now))
      .map(({ token }) => token);
  }

  /** When a rate next lets somebody start; undefined when nobody waits for a rate. */
  nextChance(now: Instant): Instant | undefined {
    const chances = this.#waiters
      .flatMap(({ wanted }) => [...wanted.keys()])
      .flatMap((key) => {
        const rate = this.#limitOf(key)?.rate;
        if (rate === undefined) return [];
        const free = rate.startsMax - (this.#aboutToStart.get(key) ?? 0);
        const oldest = free > 0 ? this.#recent(key, now).at(-free) : undefined;
        return oldest === undefined ? [] : [after(oldest, rate.perMs)];
      });
    return chances.length === 0
      ? undefined
      : chances.reduce((soonest, chance) => (chance < soonest ? chance : soonest));
  }

  #limitOf(key: string): Limit | undefined {
    return this.#limits.find((limit) =>
      limit.key.endsWith('*') ? key.startsWith(limit.key.slice(0, -1)) : limit.key === key,
    );
  }

  /** Whether this one can start when those before it have what they claim; then it claims its own. */
  #claim({ wanted, passed }: Waiter, claims: Claims, now: Instant): boolean {
    const starts = !this.#anyFull(wanted, claims, now);
    const isPatient = passed >= PATIENCE && !this.#waitsForRuns(wanted);
    const share = isPatient ? Infinity : starts ? 1 : 0;
    for (const key of wanted.keys()) claims.set(key, (claims.get(key) ?? 0) + share);
    return starts;
  }

  /** Whoever has such a place may need what would be kept for this one in order to give it up: both would wait for ever. */
  #waitsForRuns(wanted: Wanted): boolean {
    return [...wanted].some(([key, ownMax]) => {
      const { ofRuns = false, concurrencyMax = Infinity } = this.#limitOf(key) ?? {};
      return ofRuns && (this.#running.get(key) ?? 0) >= (ownMax ?? concurrencyMax);
    });
  }

  #anyFull(wanted: Wanted, claims: Claims, now: Instant): boolean {
    return [...wanted].some(([key, ownMax]) => {
      const { concurrencyMax = Infinity, rate } = this.#limitOf(key) ?? {};
      const claimed = claims.get(key) ?? 0;
      const max = ownMax ?? concurrencyMax;
      if ((this.#running.get(key) ?? 0) + claimed >= max) return true;
      if (rate === undefined) return false;
      const starting = this.#recent(key, now).length + (this.#aboutToStart.get(key) ?? 0);
      return starting + claimed >= rate.startsMax;
    });
  }

  /** A start that lies in the future (the clock was set back) counts as one of now. */
  #recent(key: string, now: Instant): readonly Instant[] {
    const starts = this.#starts.get(key);
    if (starts === undefined) return [];
    const perMs = this.#limitOf(key)?.rate?.perMs ?? 0;
    const recent = starts
      .map((start) => at(Math.min(start, now)))
      .filter((start) => now - start < perMs);
    if (recent.length > 0) this.#starts.set(key, recent);
    else this.#starts.delete(key);
    return recent;
  }
}

/** Of one key said twice, the stricter holds. */
function wantedOf(wishes: readonly LimitRequest[]): Wanted {
  const wanted = new Map<string, number | undefined>();
  for (const wish of wishes) {
    const own = typeof wish === 'string' ? undefined : wish.max;
    const before = wanted.get(limitKey(wish));
    wanted.set(limitKey(wish), before === undefined ? own : Math.min(before, own ?? before));
  }
  return wanted;
}

function change(counts: Map<string, number>, keys: readonly string[], by: number): void {
  for (const key of new Set(keys)) {
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }
}
