/** What an owner has to write of its own accord waits for room on a full disk: nobody else would say it again. */
import type { Clock } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';

const LOOK_EVERY_MS = 1000;

/** Rejects as `write` does, and with `store.full` once the signal aborts. */
export async function whenThereIsRoom<Result>(
  clock: Clock,
  signal: AbortSignal | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error;
      if (!(await clock.sleep(LOOK_EVERY_MS, signal))) throw error;
    }
  }
}
