/** A feature as the scheduler sees it, and as its run pins it. */
import type { AttemptSettings, PinnedGate } from './pinned-settings.ts';
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
  /** It comes from a graph file: the first component that fails ends it. Absent: it does not. */
  readonly isGraph?: true;
  /** In the order of the file. Absent: it is about one project. */
  readonly projects?: readonly FeatureProject[];
};

/** One of several projects that a feature spans. */
export type FeatureProject = {
  readonly name: string;
  /** As the file has it: absolute, or relative to the project that the feature starts in. */
  readonly path: string;
  /** Projects whose components come before its own, in each phase. */
  readonly dependsOn: readonly string[];
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
  /** What it does in a graph, without any agent. Absent: agents build it, or it has interfaces. */
  readonly node?: GraphNode;
  /** Branches whose result decides whether it runs at all. All of them have to say so. Absent: it always runs. */
  readonly onlyIf?: readonly Guard[];
  /** The name of its project. Absent: the feature is about one project. */
  readonly project?: string;
};

/** Components of different projects share no file, whatever their paths look like. */
export function sharesProject(
  one: Pick<Component, 'project'>,
  other: Pick<Component, 'project'>,
): boolean {
  return one.project === other.project;
}

/** A component that changes no file, and decides what else happens. */
export type GraphNode =
  /** Gates of the project judge what has landed so far. */
  | { readonly kind: 'gate'; readonly gates: readonly string[]; readonly isTested: boolean }
  /** A person answers yes or no. */
  | { readonly kind: 'human'; readonly question: string; readonly isTested: boolean }
  /** Says yes if all of these hold, else no. */
  | { readonly kind: 'branch'; readonly when: readonly Condition[] }
  /** The end of a round. Yes: no other round follows. After the last round, a no is a failure. */
  | {
      readonly kind: 'round';
      readonly when: readonly Condition[];
      readonly number: number;
      readonly isLast: boolean;
    }
  /** Waits for others, whether they ran or were skipped. */
  | { readonly kind: 'merge' };

export type Guard = { readonly node: string; readonly is: 'yes' | 'no' };

export type ConditionField = 'result' | 'files' | 'tries' | 'exit' | 'coverage';

export type Condition = {
  /** The id of a component that is complete before. */
  readonly node: string;
  readonly field: ConditionField;
  readonly operator:
    | 'equals'
    | 'not_equals'
    | 'in'
    | 'not_in'
    | 'greater_than'
    | 'at_least'
    | 'less_than'
    | 'at_most';
  readonly value: string | number | readonly (string | number)[];
};

/** Whether agents build it. Supervisor itself writes interfaces, and does what a node of a graph says. */
export function needsAgents({ interfaces, node }: Component): boolean {
  return interfaces === undefined && node === undefined;
}

/** What components agree on before they are built side by side: types, or a description of an HTTP API. */
export type InterfaceFile = { readonly path: string; readonly text: string };

/** By path: the component of the phase that locks this interface. `project`: only in this one. */
export function interfaceOwners(
  feature: Pick<Feature, 'phases'>,
  project?: string,
): ReadonlyMap<string, Component> {
  const owners = new Map<string, Component>();
  for (const one of allComponents(feature))
    for (const { path } of one.interfaces ?? [])
      if (!owners.has(path) && (project === undefined || one.project === project))
        owners.set(path, one);
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
  /** The gates that nodes of a graph name, by that name. Absent: they name none. */
  readonly nodeGates?: Readonly<Record<string, readonly PinnedGate[]>>;
  /** By name: all projects but the one that the run belongs to. Absent: there are no others. */
  readonly projects?: Readonly<Record<string, PinnedProject>>;
};

/** What the components of another project need. Each project decides that by its own configuration. */
export type PinnedProject = Pick<PinnedFeature, 'workflows' | 'gates' | 'interfaceGates'> & {
  /** Absolute. */
  readonly path: string;
  readonly settings: AttemptSettings;
};
