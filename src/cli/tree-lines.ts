/** The owner's parts as lines of text: values in, lines out. */
import type { TreeNode, TreeView } from '../protocol/tree-view.ts';
import { duration } from './duration.ts';

/** A line of the picture, in the parts that are painted apart. */
export type TreeLine = {
  /** The branches that lead to it, and its name. */
  readonly name: string;
  readonly state: string;
  readonly health: TreeNode['health'];
  /** Since when, how often restarted and why, and who is restarted with whom. */
  readonly more: string;
};

export function treeLines({ at, nodes }: TreeView): readonly TreeLine[] {
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
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  return lines.map((one) => ({ ...one, name: one.name.padEnd(width) }));
}

function line(node: TreeNode, stem: string, at: number): TreeLine {
  const { name, state, health, since, restarts, why, note, strategy } = node;
  const times = restarts === 1 ? 'restarted once' : `restarted ${restarts} times`;
  const more = [
    duration(Math.max(0, at - since)),
    ...(strategy === null ? [] : [strategy]),
    ...(restarts === 0 ? [] : [times]),
    ...(why === null ? [] : [why]),
    ...(note === null ? [] : [note]),
  ];
  const shown = health === 'recovering' ? 'recovering' : state;
  return { name: `${stem}${name}`, state: shown.padEnd(10), health, more: more.join(', ') };
}
