/** Which keys each kind of node has, and which of them it needs. */
import type { FileNode, NodeKind } from '../../settings/graph-file.ts';
import { GRAPH_CAPACITY } from '../../settings/graph-file.ts';
import { quote } from '../../yaml/problem.ts';
import type { YamlPath } from '../../yaml/yaml-tree.ts';
import type { ReportFault } from '../read-feature.ts';

type Key = Exclude<keyof FileNode, 'id' | 'kind' | 'title' | 'after'>;
type Keys = { readonly needs: readonly Key[]; readonly may: readonly Key[] };

const KEYS: Readonly<Record<NodeKind, Keys>> = {
  task: { needs: ['files'], may: ['task', 'touches', 'role'] },
  gate: { needs: ['gates'], may: [] },
  branch: { needs: ['when'], may: ['then', 'else'] },
  merge: { needs: [], may: [] },
  parallel: { needs: ['nodes'], may: [] },
  subgraph: { needs: ['nodes'], may: ['repeat'] },
  human: { needs: ['question'], may: [] },
};
const ALL: readonly Key[] = [
  ...['task', 'files', 'touches', 'role', 'gates', 'when', 'then', 'else', 'question'],
  ...['repeat', 'nodes'],
] as readonly Key[];

export function checkNodes(nodes: readonly FileNode[], path: YamlPath, report: ReportFault): void {
  for (const [nth, node] of nodes.entries()) {
    const at = [...path, nth];
    const { kind, id } = node;
    const { needs, may } = KEYS[kind];
    for (const key of ALL)
      if (node[key] !== undefined && !needs.includes(key) && !may.includes(key))
        report([...at, key], `${quote(id)} is a ${kind} node, which has no ${key}`);
    for (const key of needs)
      if (node[key] === undefined) report(at, `${quote(id)} is a ${kind} node, which needs ${key}`);
    checkShape(node, at, report);
    if (node.nodes !== undefined) checkNodes(node.nodes, [...at, 'nodes'], report);
  }
}

function checkShape(node: FileNode, at: YamlPath, report: ReportFault): void {
  const { id, kind, after = [], nodes = [], files } = node;
  if (kind === 'task' && files?.length === 0)
    report([...at, 'files'], `${quote(id)} names no file, and a task needs at least one`);
  if (kind === 'merge' && after.length === 0)
    report(at, `${quote(id)} merges nothing: name what it waits for under after`);
  if (kind === 'branch' && (node.then ?? []).length + (node.else ?? []).length === 0)
    report(at, `${quote(id)} decides nothing: name nodes under then or else`);
  if (kind !== 'parallel') return;
  if (nodes.length > GRAPH_CAPACITY)
    report(
      [...at, 'nodes'],
      `${quote(id)} has ${nodes.length} nodes side by side, and the limit is ${GRAPH_CAPACITY}: divide them`,
    );
  for (const [nth, inner] of nodes.entries())
    if (inner.after !== undefined || inner.kind === 'branch')
      report(
        [...at, 'nodes', nth],
        `the nodes of ${quote(id)} run side by side, and ${quote(inner.id)} needs an order: use a subgraph`,
      );
}
