/**
 * Pauses processes with SIGSTOP and resumes them with SIGCONT. Parents are stopped first and resumed last, so that a
 * parent which waits for its children never sees one of them stopped.
 */
import type { ProcessReader } from './read-process.ts';
import type { ProcessId } from './process-table.ts';
import { signalProcess } from './process-table.ts';

export type PausedProcesses = {
  /** Whether no process was found running at the end. A process that forks faster than our passes may escape. */
  readonly isComplete: boolean;
  /** Resumes the processes that we stopped. Those that were already stopped stay so. */
  readonly release: () => void;
};

/** About half a second, if a pass takes no time. */
const PASSES_MAX = 30;
const PAUSE_MS_MAX = 20;
/** While processes fork, one may be missed by a pass. */
const QUIET_PASSES = 2;

/** Stops all processes that `look` visits, and repeats until none is running. The signal ends it early. */
export async function pauseProcesses(
  readProcesses: ProcessReader,
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
      const isWhole = await readProcesses((row) => {
        if (row.stopped) return;
        running += 1;
        // Immediately: a process that forks and ends is gone in a tenth of a millisecond.
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
    throw error; // the table cannot be read, and nothing may stay stopped because of that
  }
}

/** A process stops when the kernel schedules it, which takes real time, whatever clock the caller uses. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
