/** The stored memory of monitors about the agents that they watch. Times are milliseconds since 1970. */
import { z } from 'zod';
import { BUDGET_LIMITS } from './views/budget-view.ts';

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

export const HealthRecord = z.strictObject({
  life: count,
  calls: count,
  /** The last calls, oldest first, each with the number of its repetitions in a row. */
  recent: z.array(z.tuple([z.string(), z.int().positive()])),
  /** The text of the calls that came more than once. */
  texts: z.record(z.string(), z.string()),
  /** The files and the number of calls when it was last suspected of spinning. */
  suspected: z.strictObject({ fingerprint: z.string(), calls: count }).nullable(),
  /** How often it was reacted to, and at which call last. */
  reacted: z.strictObject({ times: count, calls: count }).nullable(),
  prodded: z.boolean(),
});
export type HealthRecord = z.infer<typeof HealthRecord>;

export const BudgetRecordedState = z.strictObject({
  shares: z.array(z.strictObject({ limit: z.enum(BUDGET_LIMITS), spent: amount, cap: amount })),
  warned: z.array(z.string()),
  left: z.string(),
});
export type BudgetRecordedState = z.infer<typeof BudgetRecordedState>;

export const ViolationsRecord = z.strictObject({
  /** By rule. */
  broken: z.record(z.string(), count),
  children: count,
});
export type ViolationsRecord = z.infer<typeof ViolationsRecord>;

export const GangRecord = z.strictObject({
  /** By run, when each failed last. */
  failures: z.record(z.string(), z.number()),
  reportedAt: z.number().nullable(),
  /** The number of failures for which no person could be asked yet. */
  unasked: count,
});
export type GangRecord = z.infer<typeof GangRecord>;
