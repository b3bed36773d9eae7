/** A run that another run has started: its link to that run, and the command of the parent that stands for it. */
import { z } from 'zod';
import type { RunOutcome } from './outcome.ts';
import type { Submission } from './run-submission.ts';

/** How deep runs may be nested. A run that a person submitted has the depth 0. */
export const CHILD_DEPTH_MAX = 4;
/** How many runs one run may start in all. */
export const CHILDREN_MAX = 200;
/** The same for a feature: each of its components is one, and one more each time that its work does not fit. */
export const FEATURE_CHILDREN_MAX = 3000;

/** The command that started a run. It is in the first fact of the child. */
export const ParentLink = z.strictObject({
  run: z.string(),
  key: z.string(),
  /** 1 for a child of a run that a person submitted. */
  depth: z.int().positive(),
});
export type ParentLink = z.infer<typeof ParentLink>;

/** Starts a run of another program. */
export type ChildInput = {
  /** The id of the child. It is recorded before the child exists, so that no crash starts two. */
  readonly run: string;
  readonly submission: Submission;
  /** The child continues this run from the first `seq` facts of it. Absent: it begins with its submission. */
  readonly from?: { readonly run: string; readonly seq: number };
};

/** Noted by a fork: its child continues the child of the original, which did not end well. */
export type ChildNote = { readonly kind: 'continued'; readonly input: ChildInput };

export type ChildResult = {
  /** Null: it was never started. */
  readonly run: string | null;
  readonly outcome: RunOutcome;
  /** What the child and its own children spent. Absent: nothing, or another run was charged for it. */
  readonly spent?: ChildSpending;
};

export type ChildSpending = {
  readonly tokens: number;
  readonly usd: number;
  readonly calls: number;
  /** How many of the calls have no known price. */
  readonly unpricedCalls: number;
};
