import type { Clock, Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';

type Sleeper = { readonly until: Instant; readonly wake: (slept: boolean) => void };

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: Instant;
  #sleepers: Sleeper[] = [];

  constructor(startMs = 0) {
    this.#now = at(startMs);
  }

  now(): Instant {
    return this.#now;
  }

  /** How many are asleep: lets a test wait until the code under test has begun to wait. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** When the next sleeper wakes, or undefined when nobody sleeps. */
  get nextWake(): Instant | undefined {
    return this.#sleepers.map(({ until }) => until).toSorted((a, b) => a - b)[0];
  }

  sleepUntil(until: Instant, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (until <= this.#now) return Promise.resolve(true);
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        until,
        wake: (slept) => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener('abort', onAbort);
          resolve(slept);
        },
      };
      const onAbort = (): void => sleeper.wake(false);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.push(sleeper);
    });
  }

  /** Moves time on, waking sleepers in order and letting what they do settle before the next. */
  async advance(ms: number): Promise<void> {
    const end = at(this.#now + ms);
    await settle();
    for (;;) {
      const [next] = this.#sleepers.toSorted((a, b) => a.until - b.until);
      if (next === undefined || next.until > end) break;
      this.#now = at(Math.max(this.#now, next.until));
      next.wake(true);
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** The wall clock is set, forward or back, as a user or a time server does. Sleepers keep their instant. */
  async jump(ms: number): Promise<void> {
    this.#now = at(this.#now + ms);
    for (const sleeper of this.#sleepers.filter(({ until }) => until <= this.#now))
      sleeper.wake(true);
    await settle();
  }
}

/** Lets everything that is ready run, including what comes back from the event loop's own queues. */
export async function settle(turns = 8): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
