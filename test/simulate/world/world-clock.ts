/**
 * Time in the simulated world. Elapsed time (`elapsedMs`) never goes back. The wall clock can be
 * set, and the engine sees only the wall clock.
 */
import type { Clock, Instant } from '../../../src/base/clock.ts';
import { at } from '../../../src/base/clock.ts';

/** From `fromMs` on, the wall clock shows the elapsed time plus `offsetMs`. */
export type Era = { readonly fromMs: number; readonly offsetMs: number };

/** Something that can end, after which its part of the world makes no progress. */
export type ClockOwner = { alive: boolean };

type Alarm = {
  readonly by: 'elapsed' | 'wall';
  readonly due: number;
  readonly callback: () => void;
};

const FIRST_DAY = Date.UTC(2030, 0, 1);

export class WorldClock {
  #elapsedMs = 0;
  #alarms: Alarm[] = [];
  readonly eras: Era[] = [{ fromMs: 0, offsetMs: FIRST_DAY }];

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  get era(): number {
    return this.eras.length - 1;
  }

  now(): Instant {
    return at(this.#elapsedMs + this.#offsetMs);
  }

  /** Sets the wall clock. A sleeper that waits for an instant keeps that instant. */
  jump(ms: number): void {
    this.eras.push({ fromMs: this.#elapsedMs, offsetMs: this.#offsetMs + ms });
  }

  /** Calls back once this much time has really passed. */
  after(ms: number, then: () => void): void {
    this.#alarms.push({ by: 'elapsed', due: this.#elapsedMs + ms, callback: then });
  }

  lasts(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** The wall clock as one process sees it. If the process dies, its sleepers never wake. */
  of(life: ClockOwner): Clock {
    return {
      now: () => this.now(),
      elapsedMs: () => this.#elapsedMs,
      sleepUntil: (instant, signal) => this.#sleep(life, { by: 'wall', due: instant }, signal),
      sleep: (ms, signal) =>
        this.#sleep(life, { by: 'elapsed', due: this.#elapsedMs + ms }, signal),
      nextTurn: () => Promise.resolve(),
    };
  }

  /** Advances to the next alarm and fires it. False: there is no alarm. */
  step(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
    this.#elapsedMs = Math.max(this.#elapsedMs, this.#dueMs(next));
    next.callback();
    return true;
  }

  #sleep(
    life: ClockOwner,
    until: Pick<Alarm, 'by' | 'due'>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (until.due <= (until.by === 'wall' ? this.now() : this.#elapsedMs))
      return Promise.resolve(true);
    return new Promise((resolve) => {
      const wake = (slept: boolean): void => {
        this.#alarms = this.#alarms.filter((other) => other !== alarm);
        signal?.removeEventListener('abort', callOff);
        if (life.alive) resolve(slept);
      };
      const callOff = (): void => wake(false);
      const alarm: Alarm = { ...until, callback: () => wake(true) };
      signal?.addEventListener('abort', callOff, { once: true });
      this.#alarms.push(alarm);
    });
  }

  /** The earliest; of several at one instant, the one that was set first. */
  #next(): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms)
      if (next === undefined || this.#dueMs(alarm) < this.#dueMs(next)) next = alarm;
    return next;
  }

  #dueMs({ by, due }: Alarm): number {
    return by === 'elapsed' ? due : due - this.#offsetMs;
  }

  get #offsetMs(): number {
    return this.eras.at(-1)?.offsetMs ?? 0;
  }
}

/**
 * Runs everything that is ready. Nothing here waits for the real machine, so one turn is enough.
 */
export function clockTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
