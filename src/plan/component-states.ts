/** What each component is doing, which ones can start, and what that means for their phase and their feature. */
import type { Component, Feature } from '../protocol/feature.ts';
import { needsAgents, sharesProject } from '../protocol/feature.ts';
import type { FeatureGraph } from './feature-graph.ts';
import type { COMPONENT_STATE_NAMES } from '../protocol/views/feature-view.ts';
import { findOverlap } from './patterns-overlap.ts';
import { findChanged } from './preview-conflicts.ts';

export type ComponentState = (typeof COMPONENT_STATE_NAMES)[number];
export type ComponentStates = ReadonlyMap<string, ComponentState>;

/** The states in which a component holds the files that it touches. In `review`, a person decides what follows. */
export const ACTIVE: ReadonlySet<ComponentState> = new Set(['implementing', 'testing', 'merging']);

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
    /** By its declaration it could start, but the other one has changed a file that it may change too. */
    | { readonly kind: 'changed'; readonly with: string; readonly file: string }
    | { readonly kind: 'capacity'; readonly capacity: number }
    /** Something that it waits for has failed, so it cannot start. */
    | { readonly kind: 'blocked'; readonly by: readonly string[] };
};

/** By id: files that a component has changed so far. */
export type TouchedFiles = ReadonlyMap<string, readonly string[]>;

const NOTHING_TOUCHED: TouchedFiles = new Map();

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
  touched: TouchedFiles = NOTHING_TOUCHED,
): Readiness {
  return decide(graph, states, { capacity, touched, explains: true });
}

/** The same without reasons, which is all that a decision needs. */
export function findStarts(
  graph: FeatureGraph,
  states: ComponentStates,
  capacity: number,
  touched: TouchedFiles,
): Readiness['start'] {
  return decide(graph, states, { capacity, touched, explains: false }).start;
}

type Limits = {
  readonly capacity: number;
  readonly touched: TouchedFiles;
  readonly explains: boolean;
};

function decide(
  graph: FeatureGraph,
  states: ComponentStates,
  { capacity, touched, explains }: Limits,
): Readiness {
  const active = graph.components.filter(({ id }) => ACTIVE.has(stateOf(states, id)));
  const working = active.filter((one) => isWorking(one, states)).length;
  const chosen: Component[] = [];
  const waiting: Waiting[] = [];
  for (const component of graph.components) {
    const { id } = component;
    if (stateOf(states, id) !== 'pending') continue;
    if (!explains && hasOpen(graph.waitsFor.get(id) ?? [], states)) continue;
    const agents = chosen.filter(needsAgents).length;
    const isFull = needsAgents(component) && working + agents >= capacity;
    if (!explains && isFull) continue;
    const why = whyNot(component, graph, states, {
      ...{ busy: [...active, ...chosen], touched, capacity: isFull ? capacity : null },
    });
    if (why === undefined) chosen.push(component);
    else waiting.push({ id, why });
  }
  return { start: chosen.map(({ id }) => id), waiting };
}

function hasOpen(before: readonly string[], states: ComponentStates): boolean {
  return before.some((one) => stateOf(states, one) !== 'complete');
}

/** A merge needs no agent. */
function isWorking(component: Component, states: ComponentStates): boolean {
  return needsAgents(component) && stateOf(states, component.id) === 'implementing';
}

type Surroundings = {
  readonly busy: readonly Component[];
  readonly touched: TouchedFiles;
  /** Null: there is a free place. */
  readonly capacity: number | null;
};

function whyNot(
  own: Component,
  { waitsFor }: FeatureGraph,
  states: ComponentStates,
  { busy, touched, capacity }: Surroundings,
): Waiting['why'] | undefined {
  const { id, touches } = own;
  const open = (waitsFor.get(id) ?? []).filter((one) => stateOf(states, one) !== 'complete');
  const by = open.filter((one) => stateOf(states, one) === 'failed');
  if (by.length > 0) return { kind: 'blocked', by };
  if (open.length > 0) return { kind: 'dependency', on: open };
  const beside = busy.filter((other) => sharesProject(own, other));
  for (const other of beside) {
    const patterns = findOverlap(touches, other.touches);
    if (patterns !== undefined) return { kind: 'overlap', with: other.id, patterns };
  }
  for (const other of beside) {
    const file = findChanged(own, other, touched);
    if (file !== undefined) return { kind: 'changed', with: other.id, file };
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
