/** Formats the owner's tree as lines of text. */
import type { AgentView } from '../protocol/views/agent-view.ts';
import type { TreeNode, TreeView } from '../protocol/views/tree-view.ts';
import { describeOutcome } from '../protocol/words/outcome-words.ts';
import { formatDuration } from '../base/format-duration.ts';
import { formatMoment } from '../base/format-time.ts';
import { oneLine, plural, truncate } from '../base/text.ts';

const TEXT_CHARS_MAX = 200;

/** A line of the tree, in the parts that have their own color. */
export type TreeLine = {
  readonly node: TreeNode;
  /** The drawn branches, and the name. */
  readonly name: string;
  readonly state: string;
  readonly health: TreeNode['health'];
  /** Age, restarts with their reason, and the strategy of a supervisor. */
  readonly more: string;
};

/** The agents of one project. Silent agents are included only if they need a person. */
export function visibleToProject({ at, nodes }: TreeView, project: string): TreeView {
  const shown = nodes.filter(
    (node) =>
      (node.project === null || node.project === project) &&
      (node.agent === null || node.agent.visibility !== 'silent' || isTrouble(node.agent)),
  );
  return { at, nodes: shown };
}

/** An escalation is always shown. */
function isTrouble({ restartsExhausted, openIssues, ended }: AgentView): boolean {
  return !ended && (restartsExhausted || openIssues > 0);
}

const AGENTS_ROOT = 'owner/branches/agents/';
/** Holds the agents that no configuration declares, so its name says nothing to a person. */
const POOL = 'pool';

/**
 * The tree without the components of the owner: the agents, and the supervisors that the configuration declares. Each
 * is a child of the nearest node that is left.
 */
export function withoutInternals({ at, nodes }: TreeView): TreeView {
  const shown = new Set(nodes.filter(isOfUser).map(({ id }) => id));
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const nearest = (id: string | null): string | null =>
    id === null || shown.has(id) ? id : nearest(parents.get(id) ?? null);
  return {
    at,
    nodes: nodes
      .filter(({ id }) => shown.has(id))
      .map((node) => ({ ...node, parent: nearest(node.parent) })),
  };
}

function isOfUser({ id, agent }: TreeNode): boolean {
  if (agent !== null) return true;
  if (!id.startsWith(AGENTS_ROOT)) return false;
  const [, ...path] = id.slice(AGENTS_ROOT.length).split('/');
  return path.length > 0 && path.join('/') !== POOL;
}

/** Components of the owner that are not well. */
export function troubledInternals({ nodes }: TreeView): readonly TreeNode[] {
  return nodes.filter((node) => !isOfUser(node) && node.health !== 'well');
}

export function formatTree({ at, nodes }: TreeView): readonly TreeLine[] {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const walk = (parent: string | null, stem: string): TreeLine[] => {
    const siblings = children.get(parent) ?? [];
    return siblings.flatMap((node, index) => {
      const isLast = index === siblings.length - 1;
      const [branch, below] = parent === null ? ['', ''] : isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
      return [toLine(node, `${stem}${branch}`, at), ...walk(node.id, `${stem}${below}`)];
    });
  };
  const lines = walk(null, '');
  const width = (of: (one: TreeLine) => string, min: number): number =>
    Math.max(min, ...lines.map((one) => of(one).length));
  const [names, states] = [width(({ name }) => name, 0), width(({ state }) => state, 10)];
  return lines.map((one) => ({
    ...one,
    name: one.name.padEnd(names),
    state: one.state.padEnd(states),
  }));
}

function toLine(node: TreeNode, stem: string, at: number): TreeLine {
  const { name, state, health, since, restarts, why, note, strategy, agent } = node;
  const more = [
    formatDuration(Math.max(0, at - since)),
    ...(strategy === null ? [] : [strategy]),
    ...(agent === null ? [] : describeAgent(agent, at)),
    ...(restarts === 0 ? [] : [describeRestarts(restarts, agent)]),
    ...(why === null ? [] : [why]),
    ...(note === null ? [] : [note]),
  ];
  const shown = health === 'recovering' && agent === null ? 'recovering' : state;
  const isCooling = agent !== null && agent.coolingUntil !== null;
  const ownState = state === 'restarting' ? state : isCooling ? 'cooling' : agent?.state;
  return {
    node,
    name: `${stem}${name}`,
    state: ownState ?? shown,
    health,
    more: more.map(shorten).join(', '),
  };
}

/** Shortens a text to one line. The whole text is in the agent's log. */
function shorten(text: string): string {
  return truncate(oneLine(text), TEXT_CHARS_MAX);
}

/** Agents that are not always shown get a short badge. */
function describeRestarts(restarts: number, agent: AgentView | null): string {
  if (agent !== null && agent.visibility !== 'shown') return `↻${restarts}`;
  return restarts === 1 ? 'restarted once' : `restarted ${plural(restarts, 'time')}`;
}

function describeAgent(agent: AgentView, now: number): readonly string[] {
  const { kind, run, life, parent, openIssues, restartsExhausted, ended, outcome, coolingUntil } =
    agent;
  return [
    `${kind} ${run}`,
    ...(coolingUntil === null ? [] : [`until ${formatMoment(coolingUntil, now)}`]),
    ...(life > 1 ? [`life ${life}`] : []),
    ...(parent === null ? [] : [`of ${parent.name}`]),
    ...(openIssues > 0 ? [plural(openIssues, 'open issue')] : []),
    ...(restartsExhausted && !ended ? ['waiting for you'] : []),
    ...(outcome === null ? [] : [describeOutcome(outcome)]),
  ];
}
