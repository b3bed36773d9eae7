/** The owner's parts as lines of text: values in, lines out. */
import type { AgentView } from '../../protocol/views/agent-view.ts';
import type { TreeNode, TreeView } from '../../protocol/views/tree-view.ts';
import { formatDuration } from '../../base/format-duration.ts';
import { oneLine, truncate } from '../../base/text.ts';

const WORDS_MAX = 200;

/** A line of the picture, in the parts that are painted apart. */
export type TreeLine = {
  /** The branches that lead to it, and its name. */
  readonly name: string;
  readonly state: string;
  readonly health: TreeNode['health'];
  /** Since when, how often restarted and why, and who is restarted with whom. */
  readonly more: string;
};

/** What a person wants to see: the agents of their own project, and of those the silent ones only in trouble. */
export function visibleToProject({ at, nodes }: TreeView, project: string): TreeView {
  const shown = nodes.filter(
    (node) =>
      (node.project === null || node.project === project) &&
      (node.agent === null || node.agent.visibility !== 'silent' || isTrouble(node.agent)),
  );
  return { at, nodes: shown };
}

/** An escalation is always shown. */
function isTrouble({ spent, openMatters, over }: AgentView): boolean {
  return !over && (spent || openMatters > 0);
}

export function formatTree({ at, nodes }: TreeView): readonly TreeLine[] {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const walk = (parent: string | null, stem: string): TreeLine[] => {
    const siblings = children.get(parent) ?? [];
    return siblings.flatMap((node, index) => {
      const isLast = index === siblings.length - 1;
      const [twig, below] = parent === null ? ['', ''] : isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
      return [line(node, `${stem}${twig}`, at), ...walk(node.id, `${stem}${below}`)];
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

function line(node: TreeNode, stem: string, at: number): TreeLine {
  const { name, state, health, since, restarts, why, note, strategy, agent } = node;
  const more = [
    formatDuration(Math.max(0, at - since)),
    ...(strategy === null ? [] : [strategy]),
    ...(agent === null ? [] : agentWords(agent)),
    ...(restarts === 0 ? [] : [timesWords(restarts, agent)]),
    ...(why === null ? [] : [why]),
    ...(note === null ? [] : [note]),
  ];
  const shown = health === 'recovering' && agent === null ? 'recovering' : state;
  const isCooling = agent !== null && agent.restsUntil !== null;
  const ownState = state === 'restarting' ? state : isCooling ? 'cooling' : agent?.state;
  return {
    name: `${stem}${name}`,
    state: ownState ?? shown,
    health,
    more: more.map(short).join(', '),
  };
}

/** An agent's last words are whole in its log; here each has one line. */
function short(words: string): string {
  return truncate(oneLine(words), WORDS_MAX);
}

/** A badge is short: whoever is always there is told in words. */
function timesWords(restarts: number, agent: AgentView | null): string {
  if (agent !== null && agent.visibility !== 'shown') return `↻${restarts}`;
  return restarts === 1 ? 'restarted once' : `restarted ${restarts} times`;
}

function agentWords(agent: AgentView): readonly string[] {
  const { kind, run, life, parent, openMatters, spent, over, outcome, restsUntil } = agent;
  return [
    `${kind} ${run}`,
    ...(restsUntil === null ? [] : [`until ${new Date(restsUntil).toISOString()}`]),
    ...(life > 1 ? [`life ${life}`] : []),
    ...(parent === null ? [] : [`of ${parent.name}`]),
    ...(openMatters > 0 ? [`${openMatters} open`] : []),
    ...(spent && !over ? ['waits for you'] : []),
    ...(outcome === null ? [] : [`${outcome.kind}: ${outcome.reason}`]),
  ];
}
