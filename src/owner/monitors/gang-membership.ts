/**
 * A gang is the agents below one declared supervisor, or the children of one parent. All other
 * agents fail alone. Projects are separate, even if their supervisors have the same names.
 */
import type { RunId } from '../../base/ids.ts';
import { pinnedPath, POOL } from '../agents/supervisor-paths.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

const WITHOUT_GANG: readonly string[] = [pinnedPath(''), pinnedPath(POOL)];

export function toGangId({
  run,
  project,
  settings: { supervisor, parent },
}: MonitoredAgent): string {
  if (!WITHOUT_GANG.includes(supervisor)) return `${project}\0${supervisor}`;
  return parent === null ? run : `${project}\0of ${parent}`;
}

/** The other members of its gang that have not ended. */
export function gangSiblings(
  run: RunId,
  agents: Pick<MonitoredAgents, 'get' | 'living'>,
): readonly RunId[] {
  const agent = agents.get(run);
  if (agent === undefined) return []; // the agent is unknown
  const gang = toGangId(agent);
  return agents
    .living()
    .filter((other) => other.run !== run && toGangId(other) === gang)
    .map((other) => other.run);
}
