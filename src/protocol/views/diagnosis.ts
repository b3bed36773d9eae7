/** What is here on a machine, what each missing thing would give, and the exact command to get it. */
import { z } from 'zod';

/**
 * `missing` is not here; `limited` is here and does less than it could, or nobody could tell;
 * `broken` is here and does not work.
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
  /** Why the state is not `ok`, or what is worth knowing although it is. */
  note: z.string().nullable(),
  /** What it gives, or would give, in one sentence. */
  gives: z.string(),
  /** The commands for this machine that get or mend it, in order; null when no command does. */
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
    /** The agent CLIs that are installed, new enough and logged in. */
    ready: z.array(z.string()),
    /** Those of them that this release can run. */
    runnable: z.array(z.string()),
    suggestion: z.strictObject({ because: z.string(), command: z.string() }).nullable(),
  }),
});
export type Diagnosis = z.infer<typeof Diagnosis>;
