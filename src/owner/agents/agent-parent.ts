/** Reads the parent of a long-lived agent. It is pinned when the agent is spawned. */
import type { RunId } from '../../base/ids.ts';
import { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';

/** Null if the agent has no parent. Undefined if the run is not a long-lived agent. */
export async function agentParent(
  journal: Journal,
  run: RunId,
): Promise<string | null | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first?.type !== 'run.submitted' || first.payload.program !== AGENT_PROGRAM) return undefined;
  return LongLivedSettings.safeParse(first.payload.settings['longLived']).data?.parent;
}
