/**
 * Holds processes still by SIGSTOP, and lets them go on by SIGCONT. Parents are stopped first and
 * continued last. So a parent which waits for its children never sees one of them stopped.
 */
import type { ProcessReader } from './read-process.ts';
import type { ProcessId } from './process-table.ts';
import { signalProcess } from './process-table.ts';

export type PausedProcesses = {
  /** Whether none was found running any more. A process that forks faster than we look may escape. */
  readonly isComplete: boolean;
  /** Lets those go on that we stopped. What was stopped before stays so. */
  readonly release: () => void;
};

/** About half a second, if a look takes no time. */
const PASSES_MAX = 30;
const PAUSE_MS_MAX = 20;
/** While processes fork, one may slip through a look. */
const QUIET_PASSES = 2;

/** Stops all that `look` shows, and looks again until none is running. The signal cuts it short. */
export async function pauseProcesses(
  look: ProcessReader,
  signal: AbortSignal,
  passesMax = PASSES_MAX,
): Promise<PausedProcesses> {
  const stopped = new Map<string, ProcessId>();
  const release = (): void => {
    for (const one of [...stopped.values()].toReversed()) signalProcess(one, 'SIGCONT');
  };
  try {
    for (let pass = 0, pauseMs = 1, quiet = 0; pass < passesMax && !signal.aborted; pass += 1) {
      let running = 0;
      const isWhole = await look((row) => {
        if (row.stopped) return;
        running += 1;
        // At once: a process that forks and ends is gone in a tenth of a millisecond.
        if (signalProcess(row, 'SIGSTOP')) stopped.set(`${row.pid} ${row.startTime}`, row);
      });
      quiet = isWhole && running === 0 ? quiet + 1 : 0;
      if (quiet >= QUIET_PASSES) return { isComplete: true, release };
      if (quiet > 0) continue;
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
    }
    return { isComplete: false, release };
  } catch (error) {
    release();
    throw error; // the table can't be read: nothing may stay stopped for that
  }
}

/** A process stops when the kernel gets to it, which takes real time whatever clock the caller lives by. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
