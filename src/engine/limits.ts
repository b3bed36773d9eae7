/**
 * Limits how many commands may run at once, and how often they may start, per key (`attempts`,
 * `project:/home/me/app`, an agent's identity). Commands are admitted in the order of their requests.
 * One exception: a command that waits for a full key does not block commands that do not need that
 * key, until TIMES_PASSED_MAX is reached.
 */
import type { Instant } from '../base/clock.ts';
import { after, at } from '../base/clock.ts';
import { defined } from '../base/defined.ts';

export type Limit = {
  /** A key, or a family of keys with a star at its end: `project:*` limits each project separately. */
  readonly key: string;
  readonly concurrencyMax?: number;
  /** The limit counts runs. An admitted run keeps its slot between its commands, until its end, and across owners. Without a rate. */
  readonly countsRuns?: boolean;
  readonly rate?: { readonly startsMax: number; readonly perMs: number };
};

/** What a waiting command waits for: a full key, a rate, or commands that are ahead of it. */
export type Hold =
  | {
      readonly kind: 'limit';
      readonly key: string;
      readonly max: number;
      /** What the waiting command calls the key. */
      readonly name?: string;
    }
  | { readonly kind: 'rate'; readonly key: string; readonly max: number; readonly perMs: number }
  | { readonly kind: 'queue' };

/**
 * A key that a command counts against. `max` replaces the maximum of the limit for this command alone. `name` is what
 * a person calls the key.
 */
export type LimitRequest =
  | string
  | { readonly key: string; readonly max: number; readonly name?: string };

export function limitKey(request: LimitRequest): string {
  return typeof request === 'string' ? request : request.key;
}

/** `max`: the command's own maximum. Undefined: the maximum of the limit holds. */
type RequestedKey = { readonly max: number | undefined; readonly name?: string };
type RequestedKeys = ReadonlyMap<string, RequestedKey>;

type Waiter = {
  readonly token: string;
  readonly requested: RequestedKeys;
  /** How often a later command took a key that this one needs too. */
  readonly timesPassed: number;
};

/** The number of slots, per key, that commands further ahead in the queue will take when they ask again. */
type Claims = Map<string, number>;

/** A command may wait for two keys that are never free together. After it was passed this often, both are reserved for it. */
const TIMES_PASSED_MAX = 16;

export class LimitPool {
  readonly #limits: readonly Limit[];
  readonly #onChange: () => void;
  readonly #running = new Map<string, number>();
  /** Admitted and not started yet. The start may come at any moment, so it counts against every window. */
  readonly #aboutToStart = new Map<string, number>();
  /** The latest starts of each key that has a rate, oldest first, no more than its window holds. */
  readonly #starts = new Map<string, readonly Instant[]>();
  /** In the order of their first requests. */
  #waiters: readonly Waiter[] = [];

  /** `onChange` is called when a waiting command may be able to start now, or has joined the queue. */
  constructor(limits: readonly Limit[], onChange: () => void = () => undefined) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /** The longest window of all rates: older starts do not count. */
  get windowMs(): number {
    return Math.max(0, ...this.#limits.map(({ rate }) => rate?.perMs ?? 0));
  }

  countsRuns(key: string): boolean {
    return this.#findLimit(key)?.countsRuns === true;
  }

  /** A start counts against the time that has passed, so its slot can't be kept for a later start. */
  hasRate(key: string): boolean {
    return this.#findLimit(key)?.rate !== undefined;
  }

  /** Takes a slot if one is free. Otherwise the command joins the queue or stays there, and the result is false. */
  admit(token: string, requests: readonly LimitRequest[], now: Instant): boolean {
    const requested = parseRequests(requests);
    const keys = [...requested.keys()];
    const position = this.#waiters.findIndex((waiter) => waiter.token === token);
    const ahead = position === -1 ? this.#waiters : this.#waiters.slice(0, position);
    const claims: Claims = new Map();
    for (const waiter of ahead) this.#claim(waiter, claims, now);
    if (this.#anyFull(requested, claims, now)) {
      // A command needs fewer keys by now if another command of its run has taken a slot that both share.
      // Or other ones, if the program has decided again.
      if (position !== -1 && hasSameKeys(this.#waiters[position]?.requested, requested))
        return false;
      const timesPassed = this.#waiters[position]?.timesPassed ?? 0;
      const insertAt = position === -1 ? this.#waiters.length : position;
      this.#waiters = this.#waiters.toSpliced(insertAt, 1, { token, requested, timesPassed });
      this.#onChange();
      return false;
    }
    this.#waiters = this.#waiters.map((waiter) =>
      ahead.includes(waiter) && keys.some((key) => waiter.requested.has(key))
        ? { ...waiter, timesPassed: waiter.timesPassed + 1 }
        : waiter,
    );
    addToCounts(this.#running, keys, 1);
    addToCounts(this.#aboutToStart, keys, 1);
    this.forget(token);
    return true;
  }

  /** Puts a command at the end of the queue, and takes no slot. A command that waits already keeps its place. */
  join(token: string, requests: readonly LimitRequest[]): void {
    if (this.#waiters.some((waiter) => waiter.token === token)) return;
    const requested = parseRequests(requests);
    this.#waiters = [...this.#waiters, { token, requested, timesPassed: 0 }];
    // If the command waits for a rate, this starts the timer that wakes it.
    this.#onChange();
  }

  /** Takes slots that a run held under the last owner, even if the limit is full. `ended` gives them back. */
  reclaim(keys: readonly string[]): void {
    addToCounts(this.#running, keys, 1);
  }

  /** A command starts in reclaimed slots. */
  readmit(keys: readonly string[]): void {
    addToCounts(this.#aboutToStart, keys, 1);
  }

  /** An admitted command starts now. Its rate windows count from this moment. */
  started(keys: readonly string[], now: Instant): void {
    addToCounts(this.#aboutToStart, keys, -1);
    this.countStart(keys, now, now);
    if (keys.length > 0) this.#onChange();
  }

  /** An admitted command will not start. */
  withdrawn(keys: readonly string[]): void {
    addToCounts(this.#aboutToStart, keys, -1);
    this.ended(keys);
  }

  /** Counts a start for the rates alone: one of this owner, or one of an earlier owner. */
  countStart(keys: readonly string[], start: Instant, now: Instant): void {
    for (const key of keys) {
      const startsMax = this.#findLimit(key)?.rate?.startsMax;
      if (startsMax === undefined) continue;
      const starts = [...(this.#starts.get(key) ?? []), start].toSorted((a, b) => a - b);
      this.#starts.set(key, starts.slice(-startsMax));
    }
    for (const key of this.#starts.keys()) this.#recent(key, now);
  }

  ended(keys: readonly string[]): void {
    addToCounts(this.#running, keys, -1);
    if (keys.length > 0) this.#onChange();
  }

  /** Removes a command from the queue. */
  forget(token: string): void {
    const remaining = this.#waiters.filter((waiter) => waiter.token !== token);
    if (remaining.length === this.#waiters.length) return;
    this.#waiters = remaining;
    this.#onChange();
  }

  /** The waiting commands, in the order of the queue. */
  waiting(): readonly string[] {
    return this.#waiters.map(({ token }) => token);
  }

  /** Why a command of this run waits. Undefined: none waits. */
  holdOf(run: string, now: Instant): Hold | undefined {
    const waiter = this.#waiters.find(({ token }) => token.startsWith(`${run}/`));
    if (waiter === undefined) return undefined;
    for (const [key, own] of waiter.requested) {
      const { concurrencyMax = Infinity, rate } = this.#findLimit(key) ?? {};
      const { max = concurrencyMax, name } = own;
      if ((this.#running.get(key) ?? 0) >= max)
        return { kind: 'limit', key, max, ...defined({ name }) };
      const starts = this.#recent(key, now).length + (this.#aboutToStart.get(key) ?? 0);
      if (rate !== undefined && starts >= rate.startsMax)
        return { kind: 'rate', key, max: rate.startsMax, perMs: rate.perMs };
    }
    return { kind: 'queue' };
  }

  /** The waiting commands that would be admitted if they asked now, in the order of the queue. */
  ready(now: Instant): readonly string[] {
    const claims: Claims = new Map();
    return this.#waiters
      .filter((waiter) => this.#claim(waiter, claims, now))
      .map(({ token }) => token);
  }

  /** When a rate next allows a start. Undefined: no command waits for a rate. */
  nextStartTime(now: Instant): Instant | undefined {
    const startTimes = this.#waiters
      .flatMap(({ requested }) => [...requested.keys()])
      .flatMap((key) => {
        const rate = this.#findLimit(key)?.rate;
        if (rate === undefined) return [];
        const free = rate.startsMax - (this.#aboutToStart.get(key) ?? 0);
        const oldest = free > 0 ? this.#recent(key, now).at(-free) : undefined;
        return oldest === undefined ? [] : [after(oldest, rate.perMs)];
      });
    return startTimes.length === 0
      ? undefined
      : startTimes.reduce((soonest, startTime) => (startTime < soonest ? startTime : soonest));
  }

  #findLimit(key: string): Limit | undefined {
    return this.#limits.find((limit) =>
      limit.key.endsWith('*') ? key.startsWith(limit.key.slice(0, -1)) : limit.key === key,
    );
  }

  /** Whether this command can start after those before it have taken their claims. Then it adds its own claims. */
  #claim({ requested, timesPassed }: Waiter, claims: Claims, now: Instant): boolean {
    const canStart = !this.#anyFull(requested, claims, now);
    const reservesKeys = timesPassed >= TIMES_PASSED_MAX && !this.#waitsForRuns(requested);
    const slots = reservesKeys ? Infinity : canStart ? 1 : 0;
    for (const key of requested.keys()) claims.set(key, (claims.get(key) ?? 0) + slots);
    return canStart;
  }

  /**
   * Nothing is reserved for a command that waits for the slot of a run. The run that holds the slot may need
   * the reserved key in order to end, and then both would wait for ever.
   */
  #waitsForRuns(requested: RequestedKeys): boolean {
    return [...requested].some(([key, { max }]) => {
      const { countsRuns = false, concurrencyMax = Infinity } = this.#findLimit(key) ?? {};
      return countsRuns && (this.#running.get(key) ?? 0) >= (max ?? concurrencyMax);
    });
  }

  #anyFull(requested: RequestedKeys, claims: Claims, now: Instant): boolean {
    return [...requested].some(([key, own]) => {
      const { concurrencyMax = Infinity, rate } = this.#findLimit(key) ?? {};
      const claimed = claims.get(key) ?? 0;
      const { max = concurrencyMax } = own;
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
    const perMs = this.#findLimit(key)?.rate?.perMs ?? 0;
    const recent = starts
      .map((start) => at(Math.min(start, now)))
      .filter((start) => now - start < perMs);
    if (recent.length > 0) this.#starts.set(key, recent);
    else this.#starts.delete(key);
    return recent;
  }
}

function hasSameKeys(one: RequestedKeys | undefined, other: RequestedKeys): boolean {
  return one?.size === other.size && [...other.keys()].every((key) => one.has(key));
}

/** If a key is requested twice, the stricter maximum holds. */
function parseRequests(requests: readonly LimitRequest[]): RequestedKeys {
  const requested = new Map<string, RequestedKey>();
  for (const request of requests) {
    const { max: own, name } = typeof request === 'string' ? {} : request;
    const previousMax = requested.get(limitKey(request))?.max;
    const max = previousMax === undefined ? own : Math.min(previousMax, own ?? previousMax);
    requested.set(limitKey(request), { max, ...defined({ name }) });
  }
  return requested;
}

function addToCounts(counts: Map<string, number>, keys: readonly string[], by: number): void {
  for (const key of new Set(keys)) {
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }
}
