/** Puts the agents, the living and the bodies, into the picture of the owner's tree. */
import type { AgentView } from '../../protocol/views/agent-view.ts';
import type { TreeNode, TreeView } from '../../protocol/views/tree-view.ts';

export const AGENTS_ROOT = 'owner/branches/agents';
const RUNS_ROOT = 'owner/branches/runs';

/** An agent, and the place of its supervisor from the top: `shop-1a2b3c/pool`. */
export type PlacedAgent = { readonly view: AgentView; readonly place: string };

/**
 * Where an agent's own supervisor shows it, it is shown as what it is. One that nobody supervises any
 * more stays as a body under the supervisor that it had.
 */
export function withAgents(
  { at, nodes }: TreeView,
  agents: readonly PlacedAgent[],
  projects: ReadonlyMap<string, string>,
): TreeView {
  const idOf = ({ place, view }: PlacedAgent): string => `${AGENTS_ROOT}/${place}/${view.run}`;
  const byId = new Map(agents.map((one) => [idOf(one), one.view]));
  const known = new Set(nodes.map(({ id }) => id));
  const asRuns = new Set(agents.map(({ view }) => `${RUNS_ROOT}/${view.run}`));
  const living = nodes.flatMap((node): TreeNode[] => {
    // What it is as a run concerns nobody while nothing is wrong with that.
    if (asRuns.has(node.id) && node.health === 'well') return [];
    const agent = byId.get(node.id);
    if (agent !== undefined) return [asAgent(node, agent)];
    const [, place = ''] = node.id.split(`${AGENTS_ROOT}/`);
    const [ofProject = ''] = place.split('/');
    return [{ ...node, project: projects.get(ofProject) ?? null }];
  });
  const bodies = agents
    .filter((one) => !known.has(idOf(one)) && known.has(`${AGENTS_ROOT}/${one.place}`))
    .map(({ view, place }) => bodyOf(`${AGENTS_ROOT}/${place}`, view));
  return { at, nodes: [...living, ...bodies] };
}

function asAgent(node: TreeNode, agent: AgentView): TreeNode {
  const { name, restarts, why, project, since } = agent;
  const health = agent.over ? healthOfBody(agent) : node.health;
  return { ...node, name, restarts, why: why ?? node.why, project, since, health, agent };
}

function bodyOf(parent: string, agent: AgentView): TreeNode {
  return {
    id: `${parent}/${agent.run}`,
    name: agent.name,
    parent,
    type: 'worker',
    strategy: null,
    state: 'down',
    since: agent.since,
    restarts: agent.restarts,
    health: healthOfBody(agent),
    why: agent.why,
    note: null,
    agent,
    project: agent.project,
  };
}

/** Who did what it was for, or was let go, is no trouble. */
function healthOfBody({ outcome }: AgentView): TreeNode['health'] {
  return outcome?.kind === 'failed' ? 'down' : 'well';
}
