/**
 * A time limit for work after an agent's end, such as the commit of its tree. The work must end soon
 * after a person has stopped the run.
 */
import type { Clock } from '../base/clock.ts';
import type { CommandContext } from '../engine/performer.ts';

/** How long the work may still take after a stop, and after a kill. */
export const AFTER_STOP_MS = 60_000;
export const AFTER_KILL_MS = 5000;

/** Does the work with a signal that aborts when its time is up. */
export async function withDeadline<Value>(
  work: (late: AbortSignal) => Promise<Value>,
  { cancelSignal, killSignal }: Pick<CommandContext, 'cancelSignal' | 'killSignal'>,
  clock: Clock,
): Promise<Value> {
  const [late, over] = [new AbortController(), new AbortController()];
  const endAfter = async (signal: AbortSignal, afterMs: number): Promise<void> => {
    await aborted(AbortSignal.any([signal, over.signal]));
    if (await clock.sleep(afterMs, over.signal)) late.abort();
  };
  void endAfter(cancelSignal, AFTER_STOP_MS);
  void endAfter(killSignal, AFTER_KILL_MS);
  try {
    return await work(late.signal);
  } finally {
    over.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
