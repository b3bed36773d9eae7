import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Signal } from '../../protocol/event.ts';
import type { MonitoredAgents } from '../agents/monitored-agents.ts';

/** Sends the signals in order. An agent that has ended meanwhile needs none of them. */
export async function sendSignals(
  run: RunId,
  signals: readonly Signal[],
  agents: Pick<MonitoredAgents, 'signal'>,
  log: (line: string) => void,
): Promise<void> {
  for (const signal of signals) {
    try {
      await agents.signal(run, signal);
    } catch (error) {
      if (isRefusal(error, 'run.already-ended') || isRefusal(error, 'run.not-found')) return;
      if (!isRefusal(error)) throw error; // the journal cannot be written, which the supervisor has to handle
      log(`could not send ${signal.kind} to ${run}: ${describeError(error)}`);
    }
  }
}
