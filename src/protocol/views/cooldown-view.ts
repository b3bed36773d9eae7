/** The identities that are cooling down, as clients see them. */
import { z } from 'zod';

export const CooldownView = z.strictObject({
  /** The name that it had when it was last limited. */
  agent: z.string(),
  identity: z.string(),
  /** Milliseconds since 1970, like the next one. */
  until: z.number(),
  reason: z.string(),
  lastLimitedAt: z.number(),
});
export type CooldownView = z.infer<typeof CooldownView>;

/** An agent's name or its identity. Null: all that are cooling down. */
export const ClearRequest = z.strictObject({ which: z.string().min(1).max(10_000).nullable() });
export type ClearRequest = z.infer<typeof ClearRequest>;
