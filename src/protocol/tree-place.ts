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

/** The same form as `RestartHistory` of the supervision room. */
const History = z.strictObject({
  restarts: z.array(z.number()),
  children: z.record(
    z.string(),
    z.strictObject({ restarts: z.array(z.number()), streak: z.number().int() }),
  ),
});

export const TreeSnapshot = z.strictObject({
  /** By project: its declared places. */
  places: z.record(z.string(), z.array(TreePlace)),
  /** By supervisor, from the top. */
  histories: z.record(z.string(), History),
  /** How often each child was restarted by its own fault, by its place from the top. */
  counts: z.record(z.string(), z.number().int()),
});
export type TreeSnapshot = z.infer<typeof TreeSnapshot>;
