import type { Clock, Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import { isWorkOutside } from './outside-work.ts';

type Sleeper = {
  readonly by: 'wall' | 'elapsed';
  readonly due: number;
  readonly wake: (slept: boolean) => void;
};

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  /** The difference between the wall clock and the elapsed time. */
  #offsetMs: number;
  #sleepers: Sleeper[] = [];

  constructor(startMs = 0) {
    this.#offsetMs = startMs;
  }

  now(): Instant {
    return at(this.#elapsedMs + this.#offsetMs);
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** The number of sleepers: a test can wait until the code under test sleeps. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** How long until the next sleeper wakes; undefined if there is none. */
  get nextWakeMs(): number | undefined {
    const due = this.#sleepers.map((sleeper) => this.#dueMs(sleeper) - this.#elapsedMs);
    return due.toSorted((a, b) => a - b)[0];
  }

  sleepUntil(until: Instant, signal?: AbortSignal): Promise<boolean> {
    return this.#sleep('wall', until, until <= this.now(), signal);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.#sleep('elapsed', this.#elapsedMs + ms, ms <= 0, signal);
  }

  /** Nothing else waits for this process. */
  nextTurn(): Promise<void> {
    return Promise.resolve();
  }

  /** Advances time, wakes sleepers in order, and lets each settle before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    await settle();
    for (;;) {
      const [next] = this.#sleepers.toSorted((a, b) => this.#dueMs(a) - this.#dueMs(b));
      if (next === undefined || this.#dueMs(next) > end) break;
      this.#elapsedMs = Math.max(this.#elapsedMs, this.#dueMs(next));
      next.wake(true);
      await settle();
    }
    this.#elapsedMs = end;
    await settle();
  }

  /** Sets the wall clock, forward or back, as a user or a time server does. No time passes. */
  async jump(ms: number): Promise<void> {
    this.#offsetMs += ms;
    await this.advance(0);
  }

  #sleep(by: Sleeper['by'], due: number, isOver: boolean, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (isOver) return Promise.resolve(true);
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        by,
        due,
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

  /** When a sleeper wakes, in elapsed time. */
  #dueMs({ by, due }: Sleeper): number {
    return by === 'elapsed' ? due : due - this.#offsetMs;
  }
}

/** Runs everything that is ready, including work from the event loop's own queues. */
export async function settle(turns = 8): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (isWorkOutside()) turn = -1; // its answer makes more work ready
  }
}
