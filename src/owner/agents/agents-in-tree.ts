/** Adds the long-lived agents, ended ones included, to the view of the owner's tree. */
import type { AgentView } from '../../protocol/views/agent-view.ts';
import { treePath } from './supervisor-paths.ts';
import type { TreeJournal } from './tree-journal.ts';
import type { RestartBudget, TreeNode, TreeView } from '../../protocol/views/tree-view.ts';

export const AGENTS_ROOT = 'owner/branches/agents';
const RUNS_ROOT = 'owner/branches/runs';

/** An agent with the path of its supervisor in the tree, such as `shop-1a2b3c/pool`. */
export type PlacedAgent = {
  readonly view: AgentView;
  readonly supervisorPath: string;
  readonly budget: RestartBudget;
};

/**
 * Replaces the node of each supervised agent by one with the agent's data. An ended agent that no
 * supervisor has any more is added below its former supervisor.
 */
export function withAgents(
  { at, nodes }: TreeView,
  agents: readonly PlacedAgent[],
  projects: ReadonlyMap<string, string>,
  /** Of the supervisors that projects declare, by their path. */
  budgets: ReadonlyMap<string, RestartBudget> = new Map(),
): TreeView {
  const nodeId = ({ supervisorPath, view }: PlacedAgent): string =>
    `${AGENTS_ROOT}/${supervisorPath}/${view.run}`;
  const byId = new Map(agents.map((one) => [nodeId(one), one]));
  const nodeIds = new Set(nodes.map(({ id }) => id));
  const runNodeIds = new Set(agents.map(({ view }) => `${RUNS_ROOT}/${view.run}`));
  const current = nodes.flatMap((node): TreeNode[] => {
    // The run of an agent is a node of its own, and is shown only if something is wrong with it.
    if (runNodeIds.has(node.id) && node.health === 'well') return [];
    const agent = byId.get(node.id);
    if (agent !== undefined) return [asAgent(node, agent)];
    const [, supervisorPath = ''] = node.id.split(`${AGENTS_ROOT}/`);
    const [segment = ''] = supervisorPath.split('/');
    const budget = budgets.get(supervisorPath) ?? null;
    return [{ ...node, project: projects.get(segment) ?? null, budget }];
  });
  const ended = agents
    .filter(
      (one) => !nodeIds.has(nodeId(one)) && nodeIds.has(`${AGENTS_ROOT}/${one.supervisorPath}`),
    )
    .map((one) => endedNode(`${AGENTS_ROOT}/${one.supervisorPath}`, one));
  return { at, nodes: [...current, ...ended] };
}

function asAgent(node: TreeNode, { view: agent, budget }: PlacedAgent): TreeNode {
  const { name, restarts, why, project, since } = agent;
  const health = agent.ended ? endedHealth(agent) : node.health;
  return { ...node, name, restarts, why: why ?? node.why, project, since, health, agent, budget };
}

function endedNode(parent: string, { view: agent, budget }: PlacedAgent): TreeNode {
  return {
    id: `${parent}/${agent.run}`,
    name: agent.name,
    parent,
    type: 'worker',
    strategy: null,
    state: 'down',
    since: agent.since,
    restarts: agent.restarts,
    health: endedHealth(agent),
    why: agent.why,
    note: null,
    agent,
    project: agent.project,
    budget,
  };
}

/** The restart budgets of the supervisors that projects declare, by their path in the tree. */
export function supervisorBudgets(
  treeJournal: Pick<TreeJournal, 'projects' | 'places' | 'restartHistory'>,
): ReadonlyMap<string, RestartBudget> {
  const budgets = new Map<string, RestartBudget>();
  for (const project of treeJournal.projects)
    for (const place of treeJournal.places(project)) {
      if (place.type !== 'supervisor') continue;
      const { restartsMax, withinMs } = place;
      const path = treePath(project, place.path);
      const restartedAt = [...treeJournal.restartHistory(path).restarts];
      budgets.set(path, { restartsMax, withinMs, restartedAt });
    }
  return budgets;
}

/** An agent that finished its work or was dismissed is not a problem. */
function endedHealth({ outcome }: AgentView): TreeNode['health'] {
  return outcome?.kind === 'failed' ? 'down' : 'well';
}
