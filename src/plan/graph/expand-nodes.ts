/**
 * Turns the nodes of a graph file into components in one list: what is nested is taken out, and rounds are written one after
 * the other. So the scheduler sees nothing but components that wait for each other.
 */
import type { Guard } from '../../protocol/feature.ts';
import type { FileCondition, FileNode } from '../../settings/graph-file.ts';
import { nearest } from '../../yaml/nearest.ts';
import { quote } from '../../yaml/problem.ts';
import { suggest } from '../../yaml/schema-faults.ts';
import type { YamlPath } from '../../yaml/yaml-tree.ts';
import type { ReportFault } from '../read-feature.ts';

/** A component whose references are still names. */
export type Draft = {
  readonly name: string;
  readonly path: YamlPath;
  readonly node: FileNode;
  readonly kind: 'task' | 'gate' | 'human' | 'branch' | 'round' | 'merge';
  readonly after: readonly string[];
  readonly onlyIf: readonly Guard[];
  readonly when: readonly NamedCondition[];
  readonly round: { readonly number: number; readonly isLast: boolean } | null;
};

export type NamedCondition = {
  readonly file: FileCondition;
  readonly path: YamlPath;
  /** The whole name of the node. Undefined: there is none, which is reported. */
  readonly name: string | undefined;
};

type Scope = {
  readonly path: YamlPath;
  /** Of whole names, such as `fix#2.` */
  readonly prefix: string;
  /** What the first nodes wait for. */
  readonly after: readonly string[];
  readonly onlyIf: readonly Guard[];
  /** By id: the whole names of the nodes around. */
  readonly around: ReadonlyMap<string, string>;
};

type Inside = { readonly drafts: readonly Draft[]; readonly names: readonly string[] };

export function expandNodes(nodes: readonly FileNode[], report: ReportFault): readonly Draft[] {
  const scope = { path: ['nodes'], prefix: '', after: [], onlyIf: [], around: new Map() };
  return expand(nodes, scope, report).drafts;
}

/** How many components the nodes become. */
export function countNodes(nodes: readonly FileNode[]): number {
  return nodes.reduce((sum, { nodes: inner, repeat }) => {
    if (inner === undefined) return sum + 1;
    const inside = countNodes(inner);
    return sum + 1 + (repeat === undefined ? inside : repeat.max * (inside + 1));
  }, 0);
}

function expand(nodes: readonly FileNode[], scope: Scope, report: ReportFault): Inside {
  const { path, prefix } = scope;
  const own = new Map(nodes.map(({ id }) => [id, `${prefix}${id}`]));
  for (const [nth, { id }] of nodes.entries())
    if (nodes.findIndex((one) => one.id === id) !== nth)
      report([...path, nth, 'id'], `two nodes are called ${quote(id)}`);
  const find = (id: string, at: YamlPath): readonly string[] => {
    const found = own.get(id);
    if (found !== undefined) return [found];
    const meant = nearest(id, [...own.keys()]);
    report(at, `no node here is called ${quote(id)}${suggest(meant)}`, meant);
    return [];
  };
  const guards = guardsOf(nodes, scope, find, report);
  const drafts = nodes.flatMap((node, nth): readonly Draft[] => {
    const at = [...path, nth];
    const named = (node.after ?? []).flatMap((id, place) => find(id, [...at, 'after', place]));
    const onlyIf = guards.get(node.id) ?? [];
    const first = named.length === 0 && onlyIf.length === 0;
    const waits = first ? scope.after : [...named, ...onlyIf.map((one) => one.node)];
    const inner: Scope = {
      path: [...at, 'nodes'],
      prefix: `${prefix}${node.id}.`,
      after: [...new Set(waits)],
      onlyIf: first ? scope.onlyIf : onlyIf,
      around: new Map([...scope.around, ...own]),
    };
    return draftsOf(node, at, inner, report);
  });
  return { drafts, names: [...own.values()] };
}

function draftsOf(
  node: FileNode,
  path: YamlPath,
  inner: Scope,
  report: ReportFault,
): readonly Draft[] {
  const { after, onlyIf, around } = inner;
  const name = inner.prefix.slice(0, -1);
  const plain = { name, path, node, after, onlyIf, when: [], round: null } as const;
  switch (node.kind) {
    case 'task':
    case 'gate':
    case 'human':
    case 'merge':
      return [{ ...plain, kind: node.kind }];
    case 'branch':
      return [
        { ...plain, kind: 'branch', when: named(node.when, [...path, 'when'], around, report) },
      ];
    case 'parallel':
    case 'subgraph': {
      if (node.repeat !== undefined) return roundsOf(node, path, inner, report);
      const inside = expand(node.nodes ?? [], inner, report);
      const end = { ...plain, kind: 'merge', after: inside.names, onlyIf: [] } as const;
      return [...inside.drafts, end];
    }
  }
}

/** Each round waits for the end of the one before, and runs only if that said no. */
function roundsOf(
  node: FileNode,
  path: YamlPath,
  inner: Scope,
  report: ReportFault,
): readonly Draft[] {
  const name = inner.prefix.slice(0, -1);
  const { max = 1, until } = node.repeat ?? {};
  const ends: string[] = [];
  const drafts: Draft[] = [];
  for (let number = 1; number <= max; number += 1) {
    const before = ends.at(-1);
    const scope: Scope = {
      ...inner,
      prefix: `${name}#${number}.`,
      ...(before === undefined ? {} : { after: [before], onlyIf: [{ node: before, is: 'no' }] }),
    };
    const { drafts: inside, names } = expand(node.nodes ?? [], scope, report);
    const own = (node.nodes ?? []).map(({ id }) => [id, `${scope.prefix}${id}`] as const);
    const end = `${name}#${number}`;
    drafts.push(...inside, {
      ...{ name: end, path, node, kind: 'round', after: names, onlyIf: [] },
      when: named(until, [...path, 'repeat', 'until'], new Map([...inner.around, ...own]), report),
      round: { number, isLast: number === max },
    });
    ends.push(end);
  }
  const end = { kind: 'merge', after: ends, onlyIf: [], when: [], round: null } as const;
  return [...drafts, { name, path, node, ...end }];
}

function named(
  conditions: FileNode['when'],
  path: YamlPath,
  known: ReadonlyMap<string, string>,
  report: ReportFault,
): readonly NamedCondition[] {
  if (conditions === undefined) return [];
  const all = isList(conditions) ? conditions : [conditions];
  return all.map((file, nth) => {
    const at = isList(conditions) ? [...path, nth] : path;
    const [id = ''] = file.field.split('.');
    const name = known.get(id);
    const meant = name === undefined ? nearest(id, [...known.keys()]) : undefined;
    if (name === undefined)
      report([...at, 'field'], `no node is called ${quote(id)}${suggest(meant)}`, meant);
    return { file, path: at, name };
  });
}

function isList(conditions: NonNullable<FileNode['when']>): conditions is readonly FileCondition[] {
  return Array.isArray(conditions);
}

/** By id: the branches that decide about a node. */
function guardsOf(
  nodes: readonly FileNode[],
  { path, prefix }: Scope,
  find: (id: string, at: YamlPath) => readonly string[],
  report: ReportFault,
): ReadonlyMap<string, readonly Guard[]> {
  const guards = new Map<string, Guard[]>();
  for (const [nth, node] of nodes.entries()) {
    if (node.kind !== 'branch') continue;
    for (const [key, is] of [
      ['then', 'yes'],
      ['else', 'no'],
    ] as const)
      for (const [place, id] of (node[key] ?? []).entries()) {
        const at = [...path, nth, key, place];
        if (find(id, at).length === 0) continue;
        const own = guards.get(id) ?? [];
        const name = `${prefix}${node.id}`;
        if (own.some((one) => one.node === name && one.is !== is))
          report(at, `${quote(id)} is under then and under else, so it would never run`);
        guards.set(id, [...own, { node: name, is }]);
      }
  }
  return guards;
}
