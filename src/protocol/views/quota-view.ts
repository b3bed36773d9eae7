/** How much of a plan or a rate is left, as its provider reported it. */
import { z } from 'zod';

export const QuotaView = z.strictObject({
  /** The wire format of its model calls. It identifies the provider. */
  wire: z.string(),
  status: z.enum(['ok', 'quota-low', 'quota-exhausted']),
  windows: z.array(
    z.strictObject({
      name: z.string(),
      limit: z.number().nullable(),
      used: z.number().nullable(),
      remaining: z.number().nullable(),
      usedPercent: z.number(),
      resetAt: z.number().nullable(),
    }),
  ),
});
export type QuotaView = z.infer<typeof QuotaView>;
