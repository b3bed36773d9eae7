/** What recorded attempts have given and cost, in groups. */
import { z } from 'zod';
import { METRIC_GROUPS } from '../metric-groups.ts';

const count = z.int().nonnegative();
const amount = z.number().nonnegative();
/** The plausible shares at 95 %. Null: there are no cases. */
const Share = z.strictObject({ low: z.number(), high: z.number() }).nullable();

const FailureCount = z.strictObject({ reason: z.string(), attempts: count });

const MetricsRow = z.strictObject({
  /** Null: the attempts have none, such as a role. */
  name: z.string().nullable(),
  attempts: count,
  /** The runs that these attempts belong to. */
  runs: count,
  /** Attempts that ended by themselves: no person stopped them, and their owner did not die. */
  ended: count,
  /** How many of `ended` the agent completed. */
  completed: count,
  completedShare: Share,
  /** Attempts whose work at least one required gate judged. */
  judged: count,
  /** How many of `judged` have only green gates. */
  verified: count,
  verifiedShare: Share,
  /** Attempts that exist because an earlier one failed. */
  retries: count,
  durationMs: amount,
  medianMs: amount.nullable(),
  /** The time in which a model call was open. Null: no call passed through the gateway. */
  modelMs: amount.nullable(),
  /** The rest of the time of those attempts: tools, and the CLI itself. */
  toolMs: amount.nullable(),
  /** How long the runs waited before these attempts for limits, cooldowns and retries. */
  throttledMs: amount,
  /** How long the attempts waited for a free place. */
  queuedMs: amount,
  /** Null: nothing is known. */
  tokens: count.nullable(),
  /** The known part. Null: nothing is known. */
  costUsd: amount.nullable(),
  /** The cost of some attempts is not known, so `costUsd` is not all of it. */
  costPartial: z.boolean(),
  /** The cost of all attempts, divided by the verified ones. Null: a cost is not known, or none is verified. */
  costPerVerifiedUsd: amount.nullable(),
  /** The most frequent first. */
  failures: z.array(FailureCount),
  /** Of the groups with enough attempts, the one with the highest lower bound of its share. */
  isBest: z.boolean(),
});
export type MetricsRow = z.infer<typeof MetricsRow>;

const FailureTrend = z.strictObject({
  reason: z.string(),
  category: z.string().nullable(),
  attempts: count,
  /** How many there were in each part of the time, all parts of equal length, the oldest first. */
  counts: z.array(count),
});

export type FailureTrend = z.infer<typeof FailureTrend>;

export const MetricsView = z.strictObject({
  since: z.number(),
  until: z.number(),
  by: z.enum(METRIC_GROUPS),
  total: MetricsRow,
  /** The groups with the most attempts first. */
  rows: z.array(MetricsRow),
  failures: z.array(FailureTrend),
  /** The share of the time in which agents worked, of all time in which they worked or runs waited for them. */
  utilization: z.number().nullable(),
  /** The share of that time in which runs waited for a free place. */
  saturation: z.number().nullable(),
  /** Attempts for each run. */
  amplification: z.number().nullable(),
  /** Older attempts that are not counted because there are too many. */
  leftOut: count,
});
export type MetricsView = z.infer<typeof MetricsView>;

/** Milliseconds since 1970. */
export const MetricsQuery = z.strictObject({
  since: z.coerce.number().min(0).default(0),
  by: z.enum(METRIC_GROUPS).default('role'),
});
export type MetricsRequest = z.output<typeof MetricsQuery>;
