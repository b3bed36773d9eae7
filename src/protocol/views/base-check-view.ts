/** The setup and the gates of a project, run once on its files as they are. */
import { z } from 'zod';

export const BaseCheckRequest = z.strictObject({
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
});
export type BaseCheckRequest = z.infer<typeof BaseCheckRequest>;

export const BaseCheckStep = z.strictObject({
  kind: z.enum(['setup', 'gate']),
  name: z.string(),
  command: z.array(z.string()).readonly(),
  /** `unable`: it could not run here. `skipped`: the setup before it is not ready. */
  state: z.enum(['started', 'passed', 'failed', 'unable', 'skipped']),
  /** Null until it has ended. */
  durationMs: z.number().nullable(),
  /** What it made, counted, or why it is red. Empty: there is nothing to say. */
  summary: z.string(),
  /** The end of its output, if it failed. */
  tail: z.string(),
  /** What a person should know about its program, whatever the result. Empty: nothing. */
  note: z.string(),
});
export type BaseCheckStep = z.infer<typeof BaseCheckStep>;
