import type { Clock, Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';

/** The longest single timer. It bounds how late a wait notices a change of the wall clock. */
export const SLICE_MS = 10_000;

/** The machine functions that a clock uses. */
export type Timers = {
  readonly nowMs: () => number;
  readonly elapsedMs: () => number;
  /** Calls back once after `ms`. Returns a function that cancels it. */
  readonly startTimer: (ms: number, onTimer: () => void) => () => void;
  readonly nextTurn: () => Promise<void>;
};

/**
 * A clock over the machine's timers. Every wait sleeps in slices and reads its time again after each slice. So a wait
 * for an instant is correct on a suspended laptop and after a clock correction, and so is a wait of months (a single
 * timer ends at 2^31 ms).
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
      const sleepNextSlice = (): void => {
        const leftMs = due - readMs();
        if (leftMs <= 0) return end(true);
        cancel = startTimer(Math.min(Math.ceil(leftMs), SLICE_MS), sleepNextSlice);
      };
      if (signal?.aborted === true) return end(false);
      signal?.addEventListener('abort', onAbort, { once: true });
      sleepNextSlice();
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
 * Real time. Its timers keep the process alive, because a caller awaits them: a process that ended during a wait
 * would look as if its work was done.
 */
export const systemClock: Clock = clockOver({
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  startTimer: (ms, onTimer) => {
    const timer = setTimeout(onTimer, ms);
    return () => clearTimeout(timer);
  },
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
});
