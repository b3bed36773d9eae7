/** Which component waits for which: the edges that a file names, and those that the order of the phases implies. */
import type { Component, Feature } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import { projectsBefore } from './read-projects.ts';

type Edge = {
  readonly from: string;
  readonly to: string;
  /** `phase`: the file does not name it; it follows from the order of the phases or of the projects. */
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
 * `interfaces-locked` waits only for the interfaces of the phases before it, and for what its components name. The
 * interfaces of a phase are locked before any of its components starts. A component also waits for the projects that its
 * own depends on: for their components of its phase and of those before it.
 */
export function toGraph(feature: Pick<Feature, 'phases' | 'projects'>): FeatureGraph {
  const components = allComponents(feature);
  const edges: Edge[] = components.flatMap(({ id, dependsOn }) =>
    dependsOn.map((from): Edge => ({ from, to: id, kind: 'named' })),
  );
  const projects = projectsBefore(feature.projects ?? []);
  for (const [nth, phase] of feature.phases.entries()) {
    const before =
      phase.gate === 'interfaces-locked'
        ? allComponents({ phases: feature.phases.slice(0, nth) }).filter(locksInterfaces)
        : phasesBefore(feature.phases, nth);
    const locks = phase.components.filter(locksInterfaces);
    const soFar = allComponents({ phases: feature.phases.slice(0, nth + 1) });
    for (const component of phase.components) {
      const own = locksInterfaces(component)
        ? before
        : [...before, ...locks, ...ofProjectsBefore(component, soFar, projects)];
      for (const { id: from } of new Set(own))
        if (!component.dependsOn.includes(from))
          edges.push({ from, to: component.id, kind: 'phase' });
    }
  }
  const waitsFor = new Map<string, string[]>(components.map(({ id }) => [id, []]));
  for (const { from, to } of edges) waitsFor.get(to)?.push(from);
  return { components, edges, waitsFor };
}

function ofProjectsBefore(
  { project = '' }: Component,
  all: readonly Component[],
  before: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Component[] {
  const projects = before.get(project);
  return projects === undefined || projects.size === 0
    ? []
    : all.filter((one) => projects.has(one.project ?? '') && !locksInterfaces(one));
}

function locksInterfaces({ interfaces }: Component): boolean {
  return interfaces !== undefined;
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
  const place = new Map(components.map(({ id }, nth) => [id, nth]));
  const words = Math.ceil(components.length / 32);
  const bits = new Map<string, Uint32Array>();
  // As bits: a large feature has a million pairs, and most of them are found again and again.
  for (const id of inOrder({ components, waitsFor })) {
    const own = new Uint32Array(words);
    for (const one of waitsFor.get(id) ?? []) {
      const at = place.get(one) ?? 0;
      own[at >>> 5] = (own[at >>> 5] ?? 0) | (1 << (at & 31));
      for (const [nth, word] of bits.get(one)?.entries() ?? []) own[nth] = (own[nth] ?? 0) | word;
    }
    bits.set(id, own);
  }
  return new Map(
    [...bits].map(([id, own]) => {
      const before = components.filter((_, at) => ((own[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0);
      return [id, new Set(before.map((one) => one.id))];
    }),
  );
}

/** Ids in an order in which each comes after what it waits for. What is part of a cycle is left out. */
export function inOrder({
  components,
  waitsFor,
}: Pick<FeatureGraph, 'components' | 'waitsFor'>): readonly string[] {
  const open = new Map(components.map(({ id }) => [id, waitsFor.get(id)?.length ?? 0]));
  const then = new Map<string, string[]>(components.map(({ id }) => [id, []]));
  for (const [id, before] of waitsFor) for (const one of before) then.get(one)?.push(id);
  const ordered: string[] = components.filter(({ id }) => open.get(id) === 0).map(({ id }) => id);
  for (const id of ordered)
    for (const next of then.get(id) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) ordered.push(next);
    }
  return ordered;
}
