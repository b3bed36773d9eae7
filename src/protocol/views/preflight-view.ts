/** The checks before a run starts, and the result of each. */
import { z } from 'zod';
import { REFUSAL_CODES } from '../../base/errors.ts';

/** `unchecked`: only the run itself finds out. `warning`: the run would start, and may wait, ask, or do without this. */
export const PreflightState = z.enum(['ok', 'unchecked', 'warning', 'failed']);
export type PreflightState = z.infer<typeof PreflightState>;

export const PreflightCheck = z.strictObject({
  /** `settings`, `sandbox`, `agent:main`, `gate:npm test`. */
  id: z.string(),
  title: z.string(),
  state: PreflightState,
  /** What was found, or what is wrong. Never a secret. */
  words: z.string(),
  /** What to do about it. */
  hint: z.string().nullable(),
  /** The code with which a run would be refused because of it. */
  code: z.enum(REFUSAL_CODES).nullable(),
});
export type PreflightCheck = z.infer<typeof PreflightCheck>;

export const Preflight = z.strictObject({
  /** No check has failed. There may be warnings. */
  ok: z.boolean(),
  checks: z.array(PreflightCheck),
});
export type Preflight = z.infer<typeof Preflight>;
