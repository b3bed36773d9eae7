/** A comparison of a workflow with and without one of its steps, as its run pins it. */
import type { PinnedGate } from './pinned-settings.ts';
import type { PinnedWorkflow } from './workflow-definition.ts';

/** The name of the program that compares, in a run's first event. */
export const ABLATION_PROGRAM = 'ablation';

export const ARMS = ['with', 'without'] as const;
export type Arm = (typeof ARMS)[number];

export type PinnedAblation = {
  readonly template: string;
  /** The step that one arm leaves out. */
  readonly step: string;
  readonly seed: number;
  readonly tasks: readonly string[];
  /** For each task, the user's commit that its trials start with. Null: the files of the first trial. Absent: all so. */
  readonly bases?: readonly (string | null)[];
  readonly arms: Readonly<Record<Arm, PinnedWorkflow>>;
  /** They judge the work of both arms, whatever the arms themselves have run. */
  readonly gates: readonly PinnedGate[];
  /** In the order in which they run. The two trials of a pair follow each other. */
  readonly trials: readonly PlannedTrial[];
};

/** One run of one arm. Two trials with the same task and round are a pair. */
export type PlannedTrial = {
  /** Counts the tasks, from 0. */
  readonly task: number;
  /** From 1: how often the task is repeated. */
  readonly round: number;
  readonly arm: Arm;
};

export type TrialResult = PlannedTrial & {
  /** Null: it was never started. */
  readonly run: string | null;
  /** `void`: it says nothing about the arm, for example because a person stopped it. */
  readonly verdict: 'solved' | 'unsolved' | 'void';
  /** Why it is not solved. Empty: it is. */
  readonly why: string;
  readonly durationMs: number;
  /** Null: no model call was counted. */
  readonly tokens: number | null;
  /** Null: nothing was counted, or the price of a call is unknown. */
  readonly costUsd: number | null;
};
