/**
 * Who belongs together: those that somebody has put below one supervisor, and the children of one parent.
 * All others fail alone. Another project has supervisors of its own by the same names.
 */
import type { RunId } from '../../base/ids.ts';
import { pinnedPath, POOL } from '../agents/supervisor-paths.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

const ALONE: readonly string[] = [pinnedPath(''), pinnedPath(POOL)];

export function gangMembers({
  run,
  project,
  settings: { supervisor, parent },
}: MonitoredAgent): string {
  if (!ALONE.includes(supervisor)) return `${project}\0${supervisor}`;
  return parent === null ? run : `${project}\0of ${parent}`;
}

/** The others of its gang that are not over. */
export function gangSiblings(
  run: RunId,
  agents: Pick<MonitoredAgents, 'get' | 'living'>,
): readonly RunId[] {
  const one = agents.get(run);
  if (one === undefined) return []; // nobody knows it any more
  const gang = gangMembers(one);
  return agents
    .living()
    .filter((other) => other.run !== run && gangMembers(other) === gang)
    .map((other) => other.run);
}
