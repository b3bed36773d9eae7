/** Turns a graph file into a feature, which the same program builds. Every fault is reported at once, with its line. */
import { cutAtWord, oneLine, plural, shortList } from '../../base/text.ts';
import type { Component, Condition, Feature, GraphNode } from '../../protocol/feature.ts';
import { ALL_PATTERNS_MAX, COMPONENTS_MAX } from '../../settings/feature-file.ts';
import type { GraphFile } from '../../settings/graph-file.ts';
import type { YamlPath } from '../../yaml/yaml-tree.ts';
import { checkGraph } from '../check-graph.ts';
import { findCycle, toGraph } from '../feature-graph.ts';
import type { PlacedFeature, ReportFault } from '../read-feature.ts';
import { checkConditions, readCondition } from './check-conditions.ts';
import { checkNodes } from './check-nodes.ts';
import { describeCondition } from './conditions.ts';
import { areExclusive } from './exclusive.ts';
import type { Draft } from './expand-nodes.ts';
import { countNodes, expandNodes } from './expand-nodes.ts';

const TITLE_MAX = 100;
const NAMES_SHOWN_MAX = 5;

/** The result is complete only if nothing was reported. */
export function readPlacedGraph(file: GraphFile, report: ReportFault): PlacedFeature {
  const { id, title, description = '', workflow = null, nodes } = file;
  // Each round has the same lines, and each fault is told once.
  const told = new Set<string>();
  const fault: ReportFault = (path, message, meant) => {
    const key = JSON.stringify([path, message]);
    if (!told.has(key)) report(path, message, meant);
    told.add(key);
  };
  checkNodes(nodes, ['nodes'], fault);
  const count = countNodes(nodes);
  if (count > COMPONENTS_MAX)
    fault(['nodes'], `${plural(count, 'node')} with all rounds; the limit is ${COMPONENTS_MAX}`);
  const drafts = told.size === 0 ? expandNodes(nodes, fault) : [];
  const components = told.size === 0 ? toComponents(drafts, id, fault) : [];
  const places = new Map<string, YamlPath>(
    components.map((one, nth) => [one.id, drafts[nth]?.path ?? []]),
  );
  const phase = { id: `${id}-PH1`, name: 'graph', title: 'graph', gate: 'all-complete' } as const;
  const feature: Feature = {
    ...{ id, title, description, workflow, isGraph: true },
    phases: [{ ...phase, components }],
  };
  if (told.size === 0) checkTogether(feature, drafts, places, fault);
  return { feature, places };
}

function checkTogether(
  feature: Feature,
  drafts: readonly Draft[],
  places: ReadonlyMap<string, YamlPath>,
  report: ReportFault,
): void {
  const graph = toGraph(feature);
  const { components } = graph;
  const patterns = components.reduce((sum, { touches }) => sum + touches.length, 0);
  if (patterns > ALL_PATTERNS_MAX) {
    const words = `${patterns} paths and patterns in all rounds; the limit is ${ALL_PATTERNS_MAX}`;
    report(['nodes'], words);
    return;
  }
  const hasCycle = findCycle(graph) !== undefined;
  const exclude = hasCycle ? () => false : areExclusive(components);
  // The copies of a round have the same lines, so one of them stands for all.
  const told = new Set<string>();
  const once: ReportFault = (path, message, meant) => {
    const key = path.join(' ');
    if (!told.has(key)) report(path, message, meant);
    told.add(key);
  };
  checkGraph(feature, { pathOf: (one) => places.get(one) ?? [], key: 'after', exclude }, once);
  if (!hasCycle) checkConditions(drafts, graph, once);
}

function toComponents(
  drafts: readonly Draft[],
  feature: string,
  report: ReportFault,
): readonly Component[] {
  const ids = new Map(drafts.map(({ name }, nth) => [name, `${feature}-PH1-C${nth + 1}`]));
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const kinds = new Map(drafts.map(({ name, kind }) => [name, kind]));
  const tested = new Set(drafts.flatMap(({ when }) => when.map((one) => one.name)));
  return drafts.map((draft): Component => {
    const { name, kind, node } = draft;
    const when = draft.when.flatMap((one): readonly Condition[] => {
      const read = readCondition(one, (known) => kinds.get(known) ?? 'task', report);
      const of = ids.get(one.name ?? '');
      return read === undefined || of === undefined ? [] : [{ ...read, node: of }];
    });
    const graphNode = toNode(draft, when, tested.has(name));
    const title = node.title ?? titleOf(draft, when, (id) => names.get(id) ?? id);
    const { files = [], touches = [], role = null } = node;
    const isTask = kind === 'task';
    const onlyIf = draft.onlyIf.map((one) => ({ ...one, node: ids.get(one.node) ?? one.node }));
    return {
      ...{ id: ids.get(name) ?? name, name, title, role: isTask ? role : null },
      task: node.task ?? title,
      files: isTask ? files : [],
      touches: isTask ? [...files, ...touches] : [],
      dependsOn: [...new Set(draft.after.flatMap((one) => ids.get(one) ?? []))],
      ...(graphNode === null ? {} : { node: graphNode }),
      ...(onlyIf.length === 0 ? {} : { onlyIf }),
    };
  });
}

function toNode(
  { kind, node, round }: Draft,
  when: readonly Condition[],
  isTested: boolean,
): GraphNode | null {
  switch (kind) {
    case 'task':
      return null;
    case 'gate':
      return { kind, gates: node.gates ?? [], isTested };
    case 'human':
      return { kind, question: node.question ?? '', isTested };
    case 'branch':
      return { kind, when };
    case 'round':
      return { kind, when, ...(round ?? { number: 1, isLast: true }) };
    case 'merge':
      return { kind };
  }
}

function titleOf(
  { kind, node, after, round, name }: Draft,
  when: readonly Condition[],
  nameOf: (id: string) => string,
): string {
  const words = when.map((one) => describeCondition(one, nameOf)).join(' and ');
  switch (kind) {
    case 'task':
      return node.id;
    case 'gate':
      return `gate ${shortList(node.gates ?? [], NAMES_SHOWN_MAX)}`;
    case 'human':
      return cutAtWord(oneLine(node.question ?? ''), TITLE_MAX);
    case 'branch':
      return cutAtWord(`if ${words}`, TITLE_MAX);
    case 'round':
      return cutAtWord(`end of round ${round?.number ?? 1}, until ${words}`, TITLE_MAX);
    case 'merge':
      return node.kind === 'merge'
        ? `after ${shortList(after, NAMES_SHOWN_MAX)}`
        : `end of ${name}`;
  }
}
