/** The checkpoints of a workflow, as clients see them: one for each visit of a step. */
import { z } from 'zod';
import { STEP_STATES } from './workflow-view.ts';

export const CheckpointView = z.strictObject({
  step: z.string(),
  kind: z.string(),
  /** Which visit of the step it is, from 1. */
  visit: z.int(),
  /** When the visit began; milliseconds since 1970. */
  at: z.number(),
  outcome: z.enum(STEP_STATES),
  /** The commit of the work that the step began with. Null: no step had changed anything. */
  before: z.string().nullable(),
  /** The commit of the work after the step. Null: there is no work yet. */
  after: z.string().nullable(),
  /** How many files the work changes after the step. */
  files: z.int(),
  /** What the step was told when it began again. Empty: nothing. */
  feedback: z.string(),
  /** The names of the values that earlier steps had left. */
  outputs: z.array(z.string()),
  /** The run continues from this fact if it continues from the step. */
  run: z.string(),
  seq: z.int(),
});
export type CheckpointView = z.infer<typeof CheckpointView>;

/** Such as `implement#2`. */
export function checkpointName({ step, visit }: Pick<CheckpointView, 'step' | 'visit'>): string {
  return `${step}#${visit}`;
}
