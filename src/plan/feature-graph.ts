/** Which component waits for which: the edges that a file names, and those that the order of the phases implies. */
import type { Component, Feature } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';

type Edge = {
  readonly from: string;
  readonly to: string;
  /** `phase`: the file does not name it; it follows from the order of the phases. */
  readonly kind: 'named' | 'phase';
};

export type FeatureGraph = {
  readonly components: readonly Component[];
  readonly edges: readonly Edge[];
  /** By id: the components that must be complete before this one starts. */
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
};

/**
 * A phase whose gate is `all-complete` waits for every component of the phases before it. A phase whose gate is
 * `interfaces-locked` waits only for what its components name.
 */
export function toGraph(feature: Pick<Feature, 'phases'>): FeatureGraph {
  const components = allComponents(feature);
  const edges: Edge[] = components.flatMap(({ id, dependsOn }) =>
    dependsOn.map((from): Edge => ({ from, to: id, kind: 'named' })),
  );
  for (const [nth, phase] of feature.phases.entries()) {
    if (phase.gate === 'interfaces-locked') continue;
    for (const component of phase.components)
      for (const { id: from } of phasesBefore(feature.phases, nth))
        if (!component.dependsOn.includes(from))
          edges.push({ from, to: component.id, kind: 'phase' });
  }
  const waitsFor = new Map<string, string[]>(components.map(({ id }) => [id, []]));
  for (const { from, to } of edges) waitsFor.get(to)?.push(from);
  return { components, edges, waitsFor };
}

/** The components of the phase before this one. If that phase waited for no other, also those of the phase before it. */
function phasesBefore(phases: Feature['phases'], nth: number): readonly Component[] {
  const before = phases[nth - 1];
  if (before === undefined) return [];
  const earlier = before.gate === 'interfaces-locked' ? phasesBefore(phases, nth - 1) : [];
  return [...before.components, ...earlier];
}

/** The ids of a cycle, each one waiting for the next, and the first again at the end. */
export function findCycle({ components, waitsFor }: FeatureGraph): readonly string[] | undefined {
  const done = new Set<string>();
  for (const { id: start } of components) {
    // An explicit stack: 200 components in a row are no reason to run out of call stack.
    const path: string[] = [];
    const stack = [{ id: start, isLeft: false }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { id, isLeft } = top;
      if (isLeft) {
        path.pop();
        done.add(id);
        continue;
      }
      const again = path.indexOf(id);
      if (again !== -1) return [...path.slice(again), id];
      if (done.has(id)) continue;
      path.push(id);
      stack.push({ id, isLeft: true });
      for (const before of waitsFor.get(id) ?? []) stack.push({ id: before, isLeft: false });
    }
  }
  return undefined;
}

/** By id: everything that has to be complete before it, directly or not. The graph has no cycle. */
export function findAncestors({
  components,
  waitsFor,
}: FeatureGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const id of inOrder({ components, waitsFor }))
    found.set(
      id,
      new Set((waitsFor.get(id) ?? []).flatMap((one) => [one, ...(found.get(one) ?? [])])),
    );
  return found;
}

/** Ids in an order in which each comes after what it waits for. What is part of a cycle is left out. */
export function inOrder({
  components,
  waitsFor,
}: Pick<FeatureGraph, 'components' | 'waitsFor'>): readonly string[] {
  const open = new Map(components.map(({ id }) => [id, waitsFor.get(id)?.length ?? 0]));
  const then = new Map<string, string[]>();
  for (const [id, before] of waitsFor)
    for (const one of before) then.set(one, [...(then.get(one) ?? []), id]);
  const ordered: string[] = components.filter(({ id }) => open.get(id) === 0).map(({ id }) => id);
  for (const id of ordered)
    for (const next of then.get(id) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) ordered.push(next);
    }
  return ordered;
}
