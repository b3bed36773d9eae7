/** The circuit breaker of a step, across all runs of a home: what is stored, and what its commands take. */
import { z } from 'zod';

/** So many failures within so much time open it. Half open, it lets one visit of the step through after that time. */
export const BREAKER_FAILURES_MAX = 5;
export const BREAKER_WITHIN_MS = 300_000;
export const BREAKER_REASON_MAX = 500;

/** A step of a workflow, in one project. */
export const BreakerKey = z.strictObject({
  project: z.string(),
  workflow: z.string(),
  step: z.string(),
});
export type BreakerKey = z.infer<typeof BreakerKey>;

/** `half-open`: one visit of the step decides whether it closes. */
const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerStateName = (typeof BREAKER_STATES)[number];

/** Records how a visit of the step ended. */
export type UpdateBreakerInput = BreakerKey & {
  readonly result: 'failed' | 'passed';
  /** The run of the step. Null: it had none. */
  readonly child: string | null;
  /** The number of the visit among those of all steps. */
  readonly visit: number;
  /** Why it failed. Empty: it passed. */
  readonly reason: string;
};

export type UpdateBreakerResult = { readonly state: BreakerStateName; readonly failures: number };

/** The breakers that have counted a failure, as clients see them. */
export const BreakerView = BreakerKey.extend({
  state: z.enum(BREAKER_STATES),
  /** Those that still count. */
  failures: z.int(),
  lastFailedAt: z.number(),
  /** When it lets a visit through again. Null: it is closed, or does so now. */
  until: z.number().nullable(),
  /** The run that is trying the step. Null: none. */
  probe: z.string().nullable(),
  /** Why the step failed last. */
  reason: z.string(),
});
export type BreakerView = z.infer<typeof BreakerView>;

/** The name of a step. Null: all breakers. */
export const ResetRequest = z.strictObject({ step: z.string().min(1).max(200).nullable() });
export type ResetRequest = z.infer<typeof ResetRequest>;
