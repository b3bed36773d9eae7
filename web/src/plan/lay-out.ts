/** Places for the components of a feature: what waits stands right of what it waits for. */
import { Graph, layout } from '@dagrejs/dagre';

export const NODE_SIZE = { width: 216, height: 62 } as const;

type Item = { readonly id: string; readonly waitsFor: readonly string[] };

export type Placed = { readonly id: string; readonly x: number; readonly y: number };
export type PlacedEdge = { readonly from: string; readonly to: string };

/** Edges that follow from others are left out: a phase of ten that waits for ten has a hundred. */
export function layOut(items: readonly Item[]): {
  readonly nodes: readonly Placed[];
  readonly edges: readonly PlacedEdge[];
} {
  const edges = withoutImplied(items);
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 56, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of items) graph.setNode(id, { ...NODE_SIZE });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const nodes = items.map(({ id }) => {
    const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
    return { id, x: x - NODE_SIZE.width / 2, y: y - NODE_SIZE.height / 2 };
  });
  return { nodes, edges };
}

function withoutImplied(items: readonly Item[]): readonly PlacedEdge[] {
  const waits = new Map(items.map(({ id, waitsFor }) => [id, waitsFor]));
  const all = new Map<string, ReadonlySet<string>>();
  const before = (id: string): ReadonlySet<string> => {
    const known = all.get(id);
    if (known !== undefined) return known;
    const found = new Set<string>();
    // The file of a feature has no cycle. A set that is known already ends one all the same.
    all.set(id, found);
    for (const one of waits.get(id) ?? []) {
      found.add(one);
      for (const earlier of before(one)) found.add(earlier);
    }
    return found;
  };
  return items.flatMap(({ id, waitsFor }) =>
    waitsFor
      .filter((from) => !waitsFor.some((other) => other !== from && before(other).has(from)))
      .map((from) => ({ from, to: id })),
  );
}
