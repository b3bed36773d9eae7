/** What a run asks a person, and which run that is: one that the person started, or one below it. */
import { z } from 'zod';
import { ApprovalView } from './approval-view.ts';
import { BudgetView } from './budget-view.ts';

export const OpenQuestion = z.strictObject({
  /** The run that asks, and that the answer goes to. */
  run: z.string(),
  key: z.string(),
  task: z.string(),
  project: z.string(),
  question: z.string(),
  /** The valid answers. Empty: any text is valid. */
  choices: z.array(z.string()),
  /** The run lacks a key: `supervisor resume` gives it, and answers. */
  about: z.literal('keys').exactOptional(),
  /** A step of a workflow waits for an approval of this. */
  approval: ApprovalView.exactOptional(),
  /** The content of the work that a person may change with `supervisor edit`, although it asks for no approval. */
  editable: z.string().exactOptional(),
  since: z.number(),
  /** The budget that stopped the run, if that is why it asks: it is spent, or a price is unknown. */
  over: BudgetView.shape.over,
  /** The run that started the run that asks. Null: a person did. */
  parent: z.string().nullable(),
  /** The run that a person started. */
  root: z.string(),
  /** The part of the root that the run does, such as `step plan`. Null: all of it. */
  part: z.string().nullable(),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;
