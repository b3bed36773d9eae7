/** What a person changes about a run that was stopped or has failed, so that it does not end in the same way again. */
import { z } from 'zod';

/** In characters. */
const MESSAGE_MAX = 100_000;
const NAME_MAX = 200;
const DAY_MS = 86_400_000;

export const ResumeChanges = z.strictObject({
  /** The time limit of each attempt. */
  deadlineMs: z
    .int()
    .min(1000)
    .max(30 * DAY_MS)
    .exactOptional(),
  /** The cap on the whole cost of the run: what it has spent so far counts. */
  budgetUsd: z.number().positive().exactOptional(),
  /** The same for its tokens. */
  budgetTokens: z.int().positive().exactOptional(),
  /** The same for its time. */
  budgetTimeMs: z
    .int()
    .min(1000)
    .max(365 * DAY_MS)
    .exactOptional(),
  /** The agent of the next attempt. */
  agent: z.string().min(1).max(NAME_MAX).exactOptional(),
  /** The model of that agent, or of the agent that worked last. */
  model: z.string().min(1).max(NAME_MAX).exactOptional(),
  /** Joined to the task. */
  message: z.string().min(1).max(MESSAGE_MAX).exactOptional(),
});
export type ResumeChanges = z.infer<typeof ResumeChanges>;

export const NO_CHANGES: ResumeChanges = {};
