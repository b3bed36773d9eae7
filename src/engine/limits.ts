/**
 * Limits how many commands may run at once, and how often they may start, per key (`attempts`,
 * `project:/home/me/app`, an agent's identity). Commands are admitted in the order of their requests.
 * One exception: a command that waits for a full key does not block commands that do not need that
 * key, until PATIENCE is used up.
 */
import type { Instant } from '../base/clock.ts';
import { after, at } from '../base/clock.ts';

export type Limit = {
  /** A key, or a family of keys with a star at its end: `project:*` limits each project separately. */
  readonly key: string;
  readonly concurrencyMax?: number;
  /** The limit counts runs. An admitted run keeps its slot between its commands, until its end, and across owners. Without a rate. */
  readonly ofRuns?: boolean;
  readonly rate?: { readonly startsMax: number; readonly perMs: number };
};

/** A key that a command counts against. `max` replaces the maximum of the limit for this command alone. */
export type LimitRequest = string | { readonly key: string; readonly max: number };

export function limitKey(request: LimitRequest): string {
  return typeof request === 'string' ? request : request.key;
}

/** The command's own maximum by key. Undefined: the maximum of the limit holds. */
type Wanted = ReadonlyMap<string, number | undefined>;

type Waiter = {
  readonly token: string;
  readonly wanted: Wanted;
  /** How often a later command took a key that this one needs too. */
  readonly passed: number;
};

/** The number of slots, per key, that commands further ahead in the queue will take when they ask again. */
type Claims = Map<string, number>;

/** A command may wait for two keys that are never free together. After it was passed this often, both are reserved for it. */
const PATIENCE = 16;

export class LimitPool {
  readonly #limits: readonly Limit[];
  readonly #changed: () => void;
  readonly #running = new Map<string, number>();
  /** Admitted and not started yet. The start may come at any moment, so it counts against every window. */
  readonly #aboutToStart = new Map<string, number>();
  /** The latest starts of each key that has a rate, oldest first, no more than its window holds. */
  readonly #starts = new Map<string, readonly Instant[]>();
  /** In the order of their first requests. */
  #waiters: readonly Waiter[] = [];

  /** `changed` is called when a waiting command may be able to start now, or has joined the queue. */
  constructor(limits: readonly Limit[], changed: () => void = () => undefined) {
    this.#limits = limits;
    this.#changed = changed;
  }

  /** The longest window of all rates: older starts do not count. */
  get windowMs(): number {
    return Math.max(0, ...this.#limits.map(({ rate }) => rate?.perMs ?? 0));
  }

  isOfRuns(key: string): boolean {
    return this.#limitOf(key)?.ofRuns === true;
  }

  /** Takes a slot if one is free. Otherwise the command joins the queue or stays there, and the result is false. */
  admit(token: string, requests: readonly LimitRequest[], now: Instant): boolean {
    const wanted = parseRequests(requests);
    const keys = [...wanted.keys()];
    const place = this.#waiters.findIndex((waiter) => waiter.token === token);
    const ahead = place === -1 ? this.#waiters : this.#waiters.slice(0, place);
    const claims: Claims = new Map();
    for (const waiter of ahead) this.#claim(waiter, claims, now);
    if (this.#anyFull(wanted, claims, now)) {
      // A command needs fewer keys by now if another command of its run has taken a slot that both share.
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

  /** Takes slots that a run held under the last owner, even if the limit is full. */
  reclaim(keys: readonly string[]): void {
    change(this.#running, keys, 1);
  }

  /** An admitted command starts now. Its rate windows count from this moment. */
  started(keys: readonly string[], now: Instant): void {
    change(this.#aboutToStart, keys, -1);
    this.remember(keys, now, now);
    if (keys.length > 0) this.#changed();
  }

  /** An admitted command will not start. */
  withdrawn(keys: readonly string[]): void {
    change(this.#aboutToStart, keys, -1);
    this.ended(keys);
  }

  /** Counts a start for the rates alone: one of this owner, or one of an earlier owner. */
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

  /** Removes a command from the queue. */
  forget(token: string): void {
    const left = this.#waiters.filter((waiter) => waiter.token !== token);
    if (left.length === this.#waiters.length) return;
    this.#waiters = left;
    this.#changed();
  }

  /** The waiting commands, in the order of the queue. */
  waiting(): readonly string[] {
    return this.#waiters.map(({ token }) => token);
  }

  /** The waiting commands that would be admitted if they asked now, in the order of the queue. */
  ready(now: Instant): readonly string[] {
    const claims: Claims = new Map();
    return this.#waiters
      .filter((waiter) => this.#claim(waiter, claims, now))
      .map(({ token }) => token);
  }

  /** When a rate next allows a start. Undefined: no command waits for a rate. */
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

  /** Whether this command can start after those before it have taken their claims. Then it adds its own claims. */
  #claim({ wanted, passed }: Waiter, claims: Claims, now: Instant): boolean {
    const starts = !this.#anyFull(wanted, claims, now);
    const isPatient = passed >= PATIENCE && !this.#waitsForRuns(wanted);
    const share = isPatient ? Infinity : starts ? 1 : 0;
    for (const key of wanted.keys()) claims.set(key, (claims.get(key) ?? 0) + share);
    return starts;
  }

  /**
   * Nothing is reserved for a command that waits for the slot of a run. The run that holds the slot may need
   * the reserved key in order to end, and then both would wait for ever.
   */
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

  /** If a start lies in the future because the clock was set back, it counts as a start of now. */
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

/** If a key is requested twice, the stricter maximum holds. */
function parseRequests(requests: readonly LimitRequest[]): Wanted {
  const wanted = new Map<string, number | undefined>();
  for (const request of requests) {
    const own = typeof request === 'string' ? undefined : request.max;
    const before = wanted.get(limitKey(request));
    wanted.set(limitKey(request), before === undefined ? own : Math.min(before, own ?? before));
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
