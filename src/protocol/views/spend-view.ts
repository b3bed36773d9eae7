/** What attempts have cost, in parts of a period. */
import { z } from 'zod';
import { METRIC_GROUPS } from '../metric-groups.ts';

const parts = z.array(z.number().nonnegative());

const SpendSeries = z.strictObject({
  /** Null: all of them, or those that have no such name. */
  name: z.string().nullable(),
  /** One number for each part, the oldest first. Only what is known. */
  usd: parts,
  tokens: parts,
});
export type SpendSeries = z.infer<typeof SpendSeries>;

export const SpendView = z.strictObject({
  since: z.number(),
  until: z.number(),
  partMs: z.number(),
  by: z.enum(METRIC_GROUPS),
  total: SpendSeries,
  /** The dearest first. The last one may be all others. */
  groups: z.array(SpendSeries),
});
export type SpendView = z.infer<typeof SpendView>;

export const SpendQuery = z.strictObject({
  /** Milliseconds since 1970. */
  since: z.coerce.number().min(0).default(0),
  by: z.enum(METRIC_GROUPS).default('agent'),
  parts: z.coerce.number().int().min(1).max(400).default(48),
});
export type SpendRequest = z.output<typeof SpendQuery>;
