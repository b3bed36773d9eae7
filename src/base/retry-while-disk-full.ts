/** Retries a write of the owner while the disk is full, because no client would repeat it. */
import type { Clock } from './clock.ts';
import { isRefusal } from './errors.ts';

const RETRY_EVERY_MS = 1000;

/** Rejects as `write` does, and with `store.full` once the signal aborts. */
export async function retryWhileDiskFull<Result>(
  clock: Clock,
  signal: AbortSignal | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error;
      if (!(await clock.sleep(RETRY_EVERY_MS, signal))) throw error;
    }
  }
}
