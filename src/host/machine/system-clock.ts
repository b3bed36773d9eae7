import type { Clock, Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';

/** The longest single timer. It bounds how late a wait notices that the wall clock was moved. */
export const SLICE_MS = 10_000;

/** The things of the machine that a clock is made of. */
export type Timers = {
  readonly nowMs: () => number;
  readonly elapsedMs: () => number;
  /** Calls back once after `ms`; returns how to call that off. */
  readonly startTimer: (ms: number, ring: () => void) => () => void;
  readonly nextTurn: () => Promise<void>;
};

/**
 * A clock over the machine's timers. Every wait is slept in slices, and the time it is measured by
 * is read again after each: so a wait for an instant comes out right on a suspended laptop and
 * after a corrected clock, and a wait of months too (a single timer ends at 2^31 ms).
 */
export function clockOver({ nowMs, elapsedMs, startTimer, nextTurn }: Timers): Clock {
  const waitUntil = (readMs: () => number, due: number, signal?: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      let cancel: (() => void) | undefined;
      const end = (slept: boolean): void => {
        cancel?.();
        signal?.removeEventListener('abort', onAbort);
        resolve(slept);
      };
      const onAbort = (): void => end(false);
      const sleepOn = (): void => {
        const leftMs = due - readMs();
        if (leftMs <= 0) return end(true);
        cancel = startTimer(Math.min(Math.ceil(leftMs), SLICE_MS), sleepOn);
      };
      if (signal?.aborted === true) return end(false);
      signal?.addEventListener('abort', onAbort, { once: true });
      sleepOn();
    });
  return {
    now: () => at(nowMs()),
    elapsedMs,
    sleepUntil: (instant: Instant, signal?: AbortSignal) => waitUntil(nowMs, instant, signal),
    sleep: (ms, signal) => waitUntil(elapsedMs, elapsedMs() + ms, signal),
    nextTurn,
  };
}

/**
 * Real time. Its timers keep the process alive: somebody awaits them, and a process that ended
 * in the middle of a wait would look like work that was done.
 */
export const systemClock: Clock = clockOver({
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  startTimer: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
});
