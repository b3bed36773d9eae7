/** The result of `doctor`: what this machine has, what each missing part would give, and the commands that install it. */
import { z } from 'zod';

/**
 * `missing`: it is not installed. `limited`: it does less than it could, or its state is unknown.
 * `broken`: it is installed and does not work.
 */
export const FindingState = z.enum(['ok', 'missing', 'limited', 'broken']);
export type FindingState = z.infer<typeof FindingState>;

export const FindingSection = z.enum(['runtime', 'sandbox', 'agents', 'state']);
export type FindingSection = z.infer<typeof FindingSection>;

export const Finding = z.strictObject({
  id: z.string(),
  section: FindingSection,
  title: z.string(),
  state: FindingState,
  /** A version, a path, a login's source: never a secret. */
  found: z.string().nullable(),
  /** Why the state is not `ok`, or a remark although it is. */
  note: z.string().nullable(),
  /** What it gives, or would give, in one sentence. */
  gives: z.string(),
  /** The commands that install or fix it on this machine, in order. Null: no command does. */
  get: z.array(z.string()).nullable(),
});
export type Finding = z.infer<typeof Finding>;

export const Diagnosis = z.strictObject({
  findings: z.array(Finding),
  verdict: z.strictObject({
    canRun: z.boolean(),
    /** The findings that keep it from running. */
    blockers: z.array(z.string()),
    /** The sandbox backend that passed its trial here, or null when none did. */
    sandbox: z.string().nullable(),
    /** The agents that a run can use: installed, new enough and logged in. */
    ready: z.array(z.string()),
    suggestion: z.strictObject({ because: z.string(), command: z.string() }).nullable(),
  }),
});
export type Diagnosis = z.infer<typeof Diagnosis>;
