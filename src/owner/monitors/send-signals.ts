import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Signal } from '../../protocol/event.ts';
import type { MonitoredAgents } from '../agents/monitored-agents.ts';

/** In their order. An agent that has ended meanwhile hears nothing any more, and needs nothing. */
export async function sendSignals(
  run: RunId,
  signals: readonly Signal[],
  agents: Pick<MonitoredAgents, 'signal'>,
  log: (line: string) => void,
): Promise<void> {
  for (const one of signals) {
    try {
      await agents.signal(run, one);
    } catch (error) {
      if (isRefusal(error, 'run.already-ended') || isRefusal(error, 'run.not-found')) return;
      if (!isRefusal(error)) throw error; // a journal that can't be written: others mend that
      log(`${run} could not be told of ${one.kind}: ${describeError(error)}`);
    }
  }
}
