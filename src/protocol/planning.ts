/** What a run pins that plans a feature: the planner says which phases it has, and the tech lead details each of them. */

/** The name of the program that plans a feature, in a run's first event. */
export const PLANNING_PROGRAM = 'planning';

export type PinnedPlanning = {
  /** The id of the feature, such as `P1T5`. */
  readonly id: string;
  /** The role that divides the feature into phases. */
  readonly planner: string;
  /** The role that details each phase. Null: the planner's components are kept. */
  readonly lead: string | null;
};

/** The steps of the workflow that pins both roles. */
export const PLANNING_STEPS = { planner: 'plan', lead: 'detail' } as const;
