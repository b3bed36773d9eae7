/** What each component is doing, which ones can start, and what that means for their phase and their feature. */
import type { Component, Feature } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import type { FeatureGraph } from './feature-graph.ts';
import type { COMPONENT_STATE_NAMES } from '../protocol/views/feature-view.ts';
import { findOverlap } from './patterns-overlap.ts';

export type ComponentState = (typeof COMPONENT_STATE_NAMES)[number];
export type ComponentStates = ReadonlyMap<string, ComponentState>;

/** The states in which a component holds the files that it touches. In `review`, a person decides what follows. */
const ACTIVE: ReadonlySet<ComponentState> = new Set(['implementing', 'testing', 'merging']);

export function stateOf(states: ComponentStates, id: string): ComponentState {
  return states.get(id) ?? 'pending';
}

export type Waiting = {
  readonly id: string;
  readonly why:
    | { readonly kind: 'dependency'; readonly on: readonly string[] }
    | {
        readonly kind: 'overlap';
        readonly with: string;
        readonly patterns: readonly [own: string, other: string];
      }
    | { readonly kind: 'capacity'; readonly capacity: number }
    /** Something that it waits for has failed, so it cannot start. */
    | { readonly kind: 'blocked'; readonly by: readonly string[] };
};

export type Readiness = {
  /** What can start now, in the order of the file. */
  readonly start: readonly string[];
  readonly waiting: readonly Waiting[];
};

/**
 * Components that touch the same files never run at the same time, not even if the capacity allows it: in the literature
 * two agents on coupled work solve less than one.
 */
export function findReady(
  graph: FeatureGraph,
  states: ComponentStates,
  capacity: number,
): Readiness {
  const active = graph.components.filter(({ id }) => ACTIVE.has(stateOf(states, id)));
  // A merge needs no agent.
  const working = active.filter(({ id }) => stateOf(states, id) === 'implementing').length;
  const chosen: Component[] = [];
  const waiting: Waiting[] = [];
  for (const component of graph.components) {
    const { id } = component;
    if (stateOf(states, id) !== 'pending') continue;
    const isFull = working + chosen.length >= capacity;
    const why = whyNot(component, graph, states, [...active, ...chosen], isFull ? capacity : null);
    if (why === undefined) chosen.push(component);
    else waiting.push({ id, why });
  }
  return { start: chosen.map(({ id }) => id), waiting };
}

function whyNot(
  { id, touches }: Component,
  { waitsFor }: FeatureGraph,
  states: ComponentStates,
  busy: readonly Component[],
  /** Null: there is a free place. */
  capacity: number | null,
): Waiting['why'] | undefined {
  const open = (waitsFor.get(id) ?? []).filter((one) => stateOf(states, one) !== 'complete');
  const by = open.filter((one) => stateOf(states, one) === 'failed');
  if (by.length > 0) return { kind: 'blocked', by };
  if (open.length > 0) return { kind: 'dependency', on: open };
  for (const other of busy) {
    const patterns = findOverlap(touches, other.touches);
    if (patterns !== undefined) return { kind: 'overlap', with: other.id, patterns };
  }
  return capacity === null ? undefined : { kind: 'capacity', capacity };
}

export type RolledUp = 'pending' | 'in_progress' | 'complete' | 'failed';

export function rollUp(states: readonly (ComponentState | RolledUp)[]): RolledUp {
  if (states.length > 0 && states.every((one) => one === 'complete')) return 'complete';
  if (states.includes('failed')) return 'failed';
  return states.every((one) => one === 'pending') ? 'pending' : 'in_progress';
}

export function phaseState(
  { components }: Pick<Feature['phases'][number], 'components'>,
  states: ComponentStates,
): RolledUp {
  return rollUp(components.map(({ id }) => stateOf(states, id)));
}

export function featureState(feature: Feature, states: ComponentStates): RolledUp {
  return rollUp(feature.phases.map((phase) => phaseState(phase, states)));
}

/** Unfinished components when nothing runs and nothing can start. Empty while there is something to do. */
export function findBlocked(
  feature: Feature,
  graph: FeatureGraph,
  states: ComponentStates,
): readonly Waiting[] {
  const isBusy = allComponents(feature).some(({ id }) => ACTIVE.has(stateOf(states, id)));
  if (isBusy) return [];
  const { start, waiting } = findReady(graph, states, Number.POSITIVE_INFINITY);
  return start.length > 0 ? [] : waiting;
}
