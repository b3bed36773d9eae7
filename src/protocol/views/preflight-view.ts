/** What was looked at before a run begins, one thing a check, and what each came to. */
import { z } from 'zod';

/** `warning`: the run would begin, and may wait, ask, or do without this. */
export const PreflightState = z.enum(['ok', 'warning', 'failed']);
export type PreflightState = z.infer<typeof PreflightState>;

export const PreflightCheck = z.strictObject({
  /** `settings`, `sandbox`, `agent:main`, `gate:npm test`. */
  id: z.string(),
  title: z.string(),
  state: PreflightState,
  /** What was found, or what is wrong; never a secret. */
  words: z.string(),
  /** What to do about it. */
  hint: z.string().nullable(),
  /** With which a run would be refused for it. */
  code: z.string().nullable(),
});
export type PreflightCheck = z.infer<typeof PreflightCheck>;

export const Preflight = z.strictObject({
  /** Nothing has failed; there may be warnings. */
  ok: z.boolean(),
  checks: z.array(PreflightCheck),
});
export type Preflight = z.infer<typeof Preflight>;
