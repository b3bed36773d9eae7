/** How much faster a feature would be than one component after the other, if all of them took the same time. */
import { needsAgents, sharesProject } from '../protocol/feature.ts';
import type { ComponentStates } from './component-states.ts';
import { findReady } from './component-states.ts';
import type { FeatureGraph } from './feature-graph.ts';
import { findAncestors } from './feature-graph.ts';
import { findOverlap } from './patterns-overlap.ts';

/** How many components may be at work at the same time, unless the user says otherwise. */
export const CAPACITY = 4;

export type Schedule = {
  /** The components that run at the same time, in order. */
  readonly batches: readonly (readonly string[])[];
  /** 1: nothing runs side by side. */
  readonly speedup: number;
};

/** Runs the real decision of the scheduler with components that all end together. */
export function expectedSchedule(graph: FeatureGraph, capacity: number): Schedule {
  const batches: (readonly string[])[] = [];
  let states: ComponentStates = new Map();
  const others = graph.components.filter((one) => !needsAgents(one));
  const short = new Set(others.map(({ id }) => id));
  const nodes = new Set(graph.components.flatMap(({ id, node }) => (node ? [id] : [])));
  for (;;) {
    const { start } = findReady(graph, states, capacity);
    if (start.length === 0) break;
    const shown = start.filter((id) => !nodes.has(id));
    if (shown.length > 0) batches.push(shown);
    states = new Map([...states, ...start.map((id) => [id, 'complete'] as const)]);
  }
  // What Supervisor does itself takes no agent and hardly any time.
  const built = batches.map((ids) => ids.filter((id) => !short.has(id)).length);
  const [count, rounds] = [built.reduce((a, b) => a + b, 0), built.filter(Boolean).length];
  return { batches, speedup: rounds === 0 ? 1 : count / rounds };
}

/** Two components that could run side by side if they did not touch the same files. */
export type Neighbours = {
  readonly ids: readonly [one: string, other: string];
  readonly patterns: readonly [one: string, other: string];
};

/** In the order of the file. */
export function findNeighbours(graph: FeatureGraph): readonly Neighbours[] {
  const ancestors = findAncestors(graph);
  const isBefore = (one: string, other: string): boolean => ancestors.get(other)?.has(one) === true;
  return graph.components.flatMap((one, nth) =>
    graph.components.slice(nth + 1).flatMap((other): readonly Neighbours[] => {
      if (!sharesProject(one, other)) return [];
      if (isBefore(one.id, other.id) || isBefore(other.id, one.id)) return [];
      const patterns = findOverlap(one.touches, other.touches);
      return patterns === undefined ? [] : [{ ids: [one.id, other.id], patterns }];
    }),
  );
}
