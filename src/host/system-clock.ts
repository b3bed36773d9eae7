import type { Clock, Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';

/** The longest single timer. It bounds how late a wait notices that the wall clock was moved. */
export const SLICE_MS = 10_000;

/** The two things of the machine that a clock is made of. */
export type Timers = {
  readonly nowMs: () => number;
  /** Calls back once after `ms`; returns how to call that off. */
  readonly startTimer: (ms: number, ring: () => void) => () => void;
};

/**
 * A clock over the machine's timers. A wait is for a wall-clock instant, not for a duration: it is
 * slept in slices, and the wall clock is read again after each, so that a suspended laptop, a
 * corrected clock and a wait of months (a single timer ends at 2^31 ms) all come out right.
 */
export function clockOver({ nowMs, startTimer }: Timers): Clock {
  return {
    now: () => at(nowMs()),
    sleepUntil: (instant: Instant, signal?: AbortSignal) =>
      new Promise((resolve) => {
        let cancel: (() => void) | undefined;
        const end = (slept: boolean): void => {
          cancel?.();
          signal?.removeEventListener('abort', onAbort);
          resolve(slept);
        };
        const onAbort = (): void => end(false);
        const sleepOn = (): void => {
          const leftMs = instant - nowMs();
          if (leftMs <= 0) return end(true);
          cancel = startTimer(Math.min(Math.ceil(leftMs), SLICE_MS), sleepOn);
        };
        if (signal?.aborted === true) return end(false);
        signal?.addEventListener('abort', onAbort, { once: true });
        sleepOn();
      }),
  };
}

/**
 * Real time. Its timers keep the process alive: somebody awaits them, and a process that ended
 * in the middle of a wait would look like work that was done.
 */
export const systemClock: Clock = clockOver({
  nowMs: () => Date.now(),
  startTimer: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
});
