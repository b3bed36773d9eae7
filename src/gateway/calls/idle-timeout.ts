import type { Clock } from '../../base/clock.ts';
import { after } from '../../base/clock.ts';

/** Calls `onSilence` once if `activity` was not called for `silenceMs`. Ends with the signal. */
export function watchIdle(
  clock: Clock,
  silenceMs: number,
  onSilence: () => void,
  signal: AbortSignal,
): { activity(): void } {
  let last = clock.now();
  const watch = async (): Promise<void> => {
    while (await clock.sleepUntil(after(last, silenceMs), signal)) {
      if (clock.now() - last < silenceMs) continue;
      onSilence();
      return;
    }
  };
  void watch();
  return {
    activity: () => {
      last = clock.now();
    },
  };
}
