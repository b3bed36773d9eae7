/** A feature as the scheduler sees it, and as its run pins it. */
import type { PinnedGate } from './pinned-settings.ts';
import type { PinnedWorkflow } from './workflow-definition.ts';

/** The name of the program that builds a feature, in a run's first event. */
export const FEATURE_PROGRAM = 'feature';

export type Feature = {
  /** `P1T5` */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Null: the workflow of the project. */
  readonly workflow: string | null;
  readonly phases: readonly FeaturePhase[];
};

export type PhaseGate = 'all-complete' | 'interfaces-locked';

export type FeaturePhase = {
  /** `P1T5-PH1` */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly gate: PhaseGate;
  readonly components: readonly Component[];
};

export type Component = {
  /** `P1T5-PH1-C1` */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly task: string;
  /** What it owns. */
  readonly files: readonly string[];
  /** Everything that it may change: its files, and more. */
  readonly touches: readonly string[];
  /** Ids of the components that its file names. */
  readonly dependsOn: readonly string[];
  /** Null: the role of the workflow. */
  readonly role: string | null;
  /** The interfaces of its phase: Supervisor writes these files itself, and then they are locked. Absent: agents build it. */
  readonly interfaces?: readonly InterfaceFile[];
  /** The interface files that it builds on. It starts again if one of them gets a new version. */
  readonly uses?: readonly string[];
};

/** What components agree on before they are built side by side: types, or a description of an HTTP API. */
export type InterfaceFile = { readonly path: string; readonly text: string };

/** By path: the component of the phase that locks this interface. */
export function interfaceOwners(feature: Pick<Feature, 'phases'>): ReadonlyMap<string, Component> {
  const owners = new Map<string, Component>();
  for (const one of allComponents(feature))
    for (const { path } of one.interfaces ?? []) if (!owners.has(path)) owners.set(path, one);
  return owners;
}

export function allComponents({ phases }: Pick<Feature, 'phases'>): readonly Component[] {
  return phases.flatMap(({ components }) => components);
}

/** What the run of a feature pins beside the settings of its project. */
export type PinnedFeature = {
  readonly plan: Feature;
  /** How many components may be at work at the same time. */
  readonly capacity: number;
  /** The integration branch. Each component becomes one commit on it. */
  readonly branch: string;
  /** The workflow of a component, by the role that implements it. The empty name: as the workflow says. */
  readonly workflows: Readonly<Record<string, PinnedWorkflow>>;
  /** They judge the work of each component after it was merged. */
  readonly gates: readonly PinnedGate[];
  /** They check interfaces before they are locked. Absent: only their syntax is checked. */
  readonly interfaceGates?: readonly PinnedGate[];
};
