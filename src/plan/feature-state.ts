/** The state of the run of a feature, folded from its events. */
import type { InterfaceChange } from '../protocol/answer.ts';
import type { Feature, GraphNode, PinnedFeature } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import type { FeatureRunSettings } from '../protocol/pinned-settings.ts';
import type { WorkPoint } from '../protocol/contracts/workflow-contract.ts';
import type { NODE_RESULTS } from '../protocol/views/feature-view.ts';
import type { FeatureGraph } from './feature-graph.ts';
import { toGraph } from './feature-graph.ts';

export type FeatureState = {
  readonly project: string;
  readonly path: string | null;
  readonly settings: FeatureRunSettings;
  /** How often the feature was continued as another run. Each has a branch of its own. */
  readonly continued: number;
  /** By the name of a project. A feature about one project has one, without a name. */
  readonly lanes: Readonly<Record<string, Lane>>;
  /** By id. */
  readonly components: Readonly<Record<string, ComponentProgress>>;
  readonly holds: MergeHolds;
  readonly landed: readonly Landed[];
  readonly open: readonly OpenPart[];
  readonly stop: 'stop' | 'kill' | null;
  /** Why it ends before all components were tried. Null: it does not. */
  readonly refused: string | null;
  /** By the key of `interfaceKey`. They are locked when their component is complete. */
  readonly interfaces: Readonly<Record<string, LockedInterface>>;
};

/** What one project of a feature has for itself. */
export type Lane = {
  /** What all its components begin with. Null: it is not stored yet. */
  readonly base: WorkPoint | null;
  /** How often storing it was interrupted, or has failed because of a defect. */
  readonly baseTries: number;
  /** Interfaces are checked with the setup of the project. */
  readonly isSetUp: boolean;
  /** What has landed so far. */
  readonly tip: WorkPoint | null;
  /** Components whose work waits to be merged. The first one is being merged. */
  readonly queue: readonly string[];
  readonly merge: CurrentMerge;
};

export type LockedInterface = {
  readonly text: string;
  readonly version: number;
  /** The text of the version that is on the branch, while a new one is written. Null: none is. */
  readonly before: string | null;
  /** The text that was written last. A newer one may have been accepted since. Null: none was. */
  readonly written: string | null;
};

export type ComponentProgress = {
  readonly state:
    | 'pending'
    | 'working'
    | 'collecting'
    | 'queued'
    | 'asking'
    | 'complete'
    | 'failed';
  /** How many runs were started for it. */
  readonly tries: number;
  /** Conflicts and red gates since a person was asked last. */
  readonly failures: number;
  /** How often a person was asked about it. */
  readonly questions: number;
  /** When its first run began, since it was complete last. Null: none has. */
  readonly begunAt: number | null;
  /** How often its next command was interrupted, or failed because of our own defect. Neither is its fault. */
  readonly interruptions: number;
  /** Its last run. */
  readonly run: string | null;
  /** What that run began with. */
  readonly from: WorkPoint | null;
  readonly work: WorkPoint | null;
  /** Files that its runs have changed so far, as far as they are known. */
  readonly touched: readonly string[];
  /** What its next run has to know. Empty: nothing. */
  readonly feedback: string;
  /** Why it is where it is, for people. */
  readonly why: string;
  /** Where it continues if a person wants that: with another run, or with the same work. */
  readonly again: 'run' | 'merge';
  /** What its agents say to those who build on it. Absent: nothing. */
  readonly notes?: readonly string[];
  /** How it ended, if it is a node of a graph, or was skipped there. Absent: it has not, or is built by agents. */
  readonly result?: NodeResult;
  /** How many gates of a node were green. Absent: none. */
  readonly gatesGreen?: number;
  /** What its gates measured last. Absent: nothing. */
  readonly figures?: { readonly exit: number | null; readonly coverage: number | null };
  /** Changes of interfaces that it asks for. */
  readonly wants: readonly InterfaceChange[];
  /** It starts again as soon as none of its commands is open. */
  readonly restarts: boolean;
  /** How it had landed before it started again. Null: it had not. */
  readonly before: Landed | null;
};

export type NodeResult = (typeof NODE_RESULTS)[number];

/** The merge of the first component of the queue. */
export type CurrentMerge = {
  readonly phase: 'merge' | 'gate' | 'commit';
  /** Counts merges, so that no key is used twice. */
  readonly number: number;
  /** How many gates were green. */
  readonly gates: number;
  readonly work: WorkPoint | null;
  readonly names: readonly string[];
};

/** What a person holds back from the merge queue. */
export type MergeHolds = {
  /** The whole queue stands still. */
  readonly all: boolean;
  /** By id. It happens when no command of its merge is open. */
  readonly asked: Readonly<Record<string, 'hold' | 'skip'>>;
  /** Components with finished work that others pass. */
  readonly back: readonly string[];
};

/** A component on the integration branch. */
export type Landed = {
  readonly id: string;
  readonly commit: string;
  /** The files that it changed, and those of them that it did not declare. */
  readonly names: readonly string[];
  readonly undeclared: readonly string[];
  readonly at: number;
  /** How long it took since its first run began. Null: Supervisor wrote it. */
  readonly tookMs: number | null;
};

type OpenPart = {
  readonly key: string;
  readonly command: string;
  readonly component: string | null;
};

export const NEW_COMPONENT: ComponentProgress = {
  ...{ state: 'pending', tries: 0, failures: 0, questions: 0, interruptions: 0 },
  ...{ run: null, from: null, work: null, touched: [], feedback: '', why: '', again: 'run' },
  ...{ wants: [], restarts: false, before: null, begunAt: null },
};

/** Each project has a copy of an interface that it uses. */
export function interfaceKey(project: string | undefined, path: string): string {
  return project === undefined ? path : `${project}:${path}`;
}

export function featureOf({ settings }: Pick<FeatureState, 'settings'>): PinnedFeature {
  return settings.feature;
}

/** Whether Supervisor itself writes its files. */
export function isInterfaces(state: FeatureState, id: string): boolean {
  return graphOf(state).components.some((one) => one.id === id && one.interfaces !== undefined);
}

/** A continued feature has a branch of its own: the last commit of the other one is not of this run. */
export function branchOf({ settings, continued }: FeatureState): string {
  const { branch } = settings.feature;
  return continued === 0 ? branch : `${branch}-${continued + 1}`;
}

export function idsIn(
  { components }: FeatureState,
  wanted: ComponentProgress['state'],
): readonly string[] {
  return Object.keys(components).filter((id) => components[id]?.state === wanted);
}

export function progressOf({ components }: FeatureState, id: string): ComponentProgress {
  return components[id] ?? NEW_COMPONENT;
}

const nodes = new WeakMap<Feature, ReadonlyMap<string, GraphNode>>();

/** What a component does in a graph without agents. Undefined: it is no such node. */
export function nodeOf(state: FeatureState, id: string): GraphNode | undefined {
  const { plan } = featureOf(state);
  if (plan.isGraph !== true) return undefined;
  const known =
    nodes.get(plan) ??
    new Map(allComponents(plan).flatMap(({ id: own, node }) => (node ? [[own, node]] : [])));
  nodes.set(plan, known);
  return known.get(id);
}

/** By id: what each component has changed so far. */
export function touchedFiles({ components }: FeatureState): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(components).map(([id, { touched }]) => [id, touched]));
}

/** The plan of a run never changes, and each decision needs its graph. */
const graphs = new WeakMap<Feature, FeatureGraph>();

export function graphOf(state: FeatureState): FeatureGraph {
  const { plan } = featureOf(state);
  const known = graphs.get(plan);
  if (known !== undefined) return known;
  const graph = toGraph(plan);
  graphs.set(plan, graph);
  return graph;
}
