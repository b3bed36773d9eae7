/** What monitors remember of those whom they watch, as it is written down. Moments are milliseconds since 1970. */
import { z } from 'zod';
import { BUDGET_LIMITS } from './budget-view.ts';

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

export const HealthMemory = z.strictObject({
  life: count,
  calls: count,
  /** The last calls, oldest first, each with how often it came in a row. */
  recent: z.array(z.tuple([z.string(), z.int().positive()])),
  /** The words of those that came more than once. */
  words: z.record(z.string(), z.string()),
  looked: z.strictObject({ print: z.string(), calls: count }).nullable(),
  acted: z.strictObject({ times: count, calls: count }).nullable(),
  prodded: z.boolean(),
});
export type HealthMemory = z.infer<typeof HealthMemory>;

export const BudgetMemory = z.strictObject({
  shares: z.array(z.strictObject({ limit: z.enum(BUDGET_LIMITS), spent: amount, cap: amount })),
  warned: z.array(z.string()),
  left: z.string(),
});
export type BudgetMemory = z.infer<typeof BudgetMemory>;

export const ViolationsMemory = z.strictObject({
  /** By rule. */
  broken: z.record(z.string(), count),
  children: count,
});
export type ViolationsMemory = z.infer<typeof ViolationsMemory>;

export const GangMemory = z.strictObject({
  /** By run, when each failed last. */
  failures: z.record(z.string(), z.number()),
  saidAt: z.number().nullable(),
  /** So many had failed, and nobody could be asked about it yet. */
  unasked: count,
});
export type GangMemory = z.infer<typeof GangMemory>;
