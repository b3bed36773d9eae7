/**
 * What each project of a feature has for itself: its base, its integration branch and its merge queue. A feature about one
 * project has one lane without a name.
 */
import type { PinnedFeature } from '../protocol/feature.ts';
import type { AttemptSettings, PinnedGate } from '../protocol/pinned-settings.ts';
import type { CurrentMerge, FeatureState, Lane } from './feature-state.ts';
import { featureOf, graphOf } from './feature-state.ts';

export function firstMerge(number: number): CurrentMerge {
  return { phase: 'merge', number, gates: 0, work: null, names: [] };
}

/** The names of the lanes of a plan. */
export function laneNames({ projects }: PinnedFeature['plan']): readonly string[] {
  return projects?.map(({ name }) => name) ?? [''];
}

/** By the name of its project. */
export function laneNamed(state: FeatureState, name: string): Lane {
  return state.lanes[name] ?? noLane(name);
}

export function laneNameOf(state: FeatureState, id: string): string {
  if (featureOf(state).plan.projects === undefined) return '';
  return graphOf(state).components.find((one) => one.id === id)?.project ?? '';
}

/** The lane of a component. */
export function laneOf(state: FeatureState, id: string): Lane {
  return laneNamed(state, laneNameOf(state, id));
}

export function changeLane(state: FeatureState, name: string, more: Partial<Lane>): FeatureState {
  const changed = { ...laneNamed(state, name), ...more };
  return { ...state, lanes: { ...state.lanes, [name]: changed } };
}

export function changeLaneOf(state: FeatureState, id: string, more: Partial<Lane>): FeatureState {
  return changeLane(state, laneNameOf(state, id), more);
}

/** Components that wait to be merged, in every lane. */
export function allQueued({ lanes }: Pick<FeatureState, 'lanes'>): readonly string[] {
  return Object.values(lanes).flatMap(({ queue }) => queue);
}

type LaneSettings = Pick<PinnedFeature, 'workflows' | 'gates' | 'interfaceGates'> & {
  readonly path: string;
  readonly settings: AttemptSettings;
};

/** What its components are built with. The project that the run belongs to has the settings of the run. */
export function laneSettings(
  { project, settings }: Pick<FeatureState, 'project' | 'settings'>,
  name: string,
): LaneSettings {
  const { feature, ...own } = settings;
  const { workflows, gates, interfaceGates = [] } = feature;
  return (
    feature.projects?.[name] ?? { path: project, settings: own, workflows, gates, interfaceGates }
  );
}

const TYPES = /\.d\.[cm]?ts$/;

/** The gates that judge the merged work of a component. */
export function gatesOf(state: FeatureState, id: string): readonly PinnedGate[] {
  const { gates, interfaceGates = [] } = laneSettings(state, laneNameOf(state, id));
  const own = graphOf(state).components.find((one) => one.id === id)?.interfaces;
  if (own === undefined) return gates;
  return own.some(({ path }) => TYPES.test(path)) ? interfaceGates : [];
}

const LANE_KEY = /^(?:base|setup)(?:-([a-z][a-z0-9_-]*))?(?:\.\d+)?$/;

/** The key of a command about a lane as a whole. */
export function laneKey(command: 'base' | 'setup', name: string): string {
  return name === '' ? command : `${command}-${name}`;
}

export function laneOfKey(key: string): string {
  return LANE_KEY.exec(key)?.[1] ?? '';
}

function noLane(name: string): never {
  throw new TypeError(`the feature has no project ${name}`);
}
