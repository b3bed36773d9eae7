import { z } from 'zod';

const count = z.int().nonnegative();

/** One place in the tree of long-lived agents, by its path from the top: `team/backend`. */
export const TreePlace = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('supervisor'),
      path: z.string(),
      strategy: z.enum(['one-for-one', 'one-for-all', 'rest-for-one']),
      restartsMax: count,
      withinMs: count,
    })
    .readonly(),
  z.strictObject({ type: z.literal('agent'), path: z.string() }).readonly(),
]);
export type TreePlace = z.infer<typeof TreePlace>;
