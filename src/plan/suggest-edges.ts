/** Dependencies that the imports of a project suggest, compared with those that a feature has. */
import type { Component, Feature } from '../protocol/feature.ts';
import type { FeatureGraph } from './feature-graph.ts';
import { findAncestors, toGraph } from './feature-graph.ts';
import { findCovered } from './patterns-overlap.ts';

export type FoundImport = {
  readonly from: string;
  readonly to: string;
  /** The name of the project that has both files. Absent: the feature is about one. */
  readonly project?: string | undefined;
};

export type SuggestedEdge = {
  /** This component… */
  readonly component: string;
  /** …imports files of this one. */
  readonly needs: string;
  readonly imports: readonly FoundImport[];
  /**
   * `new`: the feature lacks it. `known`: it has it, named or by the order of its phases. `cycle`: the other one waits for
   * this one, so one of them has to change.
   */
  readonly kind: 'new' | 'known' | 'cycle';
};

/** The components that own a file of a project. It may have several, one after the other. */
export function ownersOf(
  components: readonly Component[],
  file: string,
  project?: string,
): readonly Component[] {
  const one = [file];
  return components.filter(
    (own) => own.project === project && findCovered(one, own.files) !== undefined,
  );
}

/**
 * In the order of the file. All of those that are `new` can be added together. `external`: by component, files whose
 * import makes no dependency.
 */
export function suggestEdges(
  feature: Feature,
  imports: readonly FoundImport[],
  external: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly SuggestedEdge[] {
  const graph = toGraph(feature);
  const owners = new Map<string, readonly string[]>();
  const ownersOnce = (file: string, project: string | undefined): readonly string[] => {
    const place = `${project ?? ''}:${file}`;
    const known = owners.get(place);
    if (known !== undefined) return known;
    const found = ownersOf(graph.components, file, project).map(({ id }) => id);
    owners.set(place, found);
    return found;
  };
  const pairs = new Map<string, FoundImport[]>();
  for (const one of imports) {
    const others = ownersOnce(one.to, one.project);
    for (const own of ownersOnce(one.from, one.project)) {
      const patterns = external.get(own) ?? [];
      // What it owns itself makes no dependency, also if another one owns it before.
      if (others.includes(own) || findCovered([one.to], patterns) !== undefined) continue;
      for (const other of others) {
        const key = `${own} ${other}`;
        const found = pairs.get(key);
        if (found === undefined) pairs.set(key, [one]);
        else found.push(one);
      }
    }
  }
  const known = findAncestors(graph);
  let grown = graph;
  let ancestors = known;
  return inOrder(graph, pairs).map(({ component, needs, imports: found }) => {
    const isKnown = known.get(component)?.has(needs) === true;
    const isCycle = ancestors.get(needs)?.has(component) === true;
    if (!isKnown && !isCycle) {
      grown = withEdge(grown, component, needs);
      // Most edges follow from others, and then nothing new is before anything.
      if (ancestors.get(component)?.has(needs) !== true) ancestors = findAncestors(grown);
    }
    const kind = isKnown ? 'known' : isCycle ? 'cycle' : 'new';
    return { component, needs, imports: found, kind };
  });
}

type Pair = Omit<SuggestedEdge, 'kind'>;

function inOrder(
  { components }: FeatureGraph,
  pairs: ReadonlyMap<string, readonly FoundImport[]>,
): readonly Pair[] {
  return components.flatMap(({ id: component }) =>
    components.flatMap(({ id: needs }): readonly Pair[] => {
      const found = pairs.get(`${component} ${needs}`);
      return found === undefined ? [] : [{ component, needs, imports: found }];
    }),
  );
}

function withEdge(graph: FeatureGraph, to: string, from: string): FeatureGraph {
  const waitsFor = new Map(graph.waitsFor);
  waitsFor.set(to, [...(waitsFor.get(to) ?? []), from]);
  return { ...graph, waitsFor };
}
