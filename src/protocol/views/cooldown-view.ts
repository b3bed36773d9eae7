/** Who rests until when, as a face is told. */
import { z } from 'zod';

export const CooldownView = z.strictObject({
  /** The name under which it was limited last. */
  agent: z.string(),
  identity: z.string(),
  /** Milliseconds since 1970, like the next one. */
  until: z.number(),
  reason: z.string(),
  lastLimitedAt: z.number(),
});
export type CooldownView = z.infer<typeof CooldownView>;

/** An agent's name or its identity; null: all that rest. */
export const ClearRequest = z.strictObject({ which: z.string().min(1).max(10_000).nullable() });
export type ClearRequest = z.infer<typeof ClearRequest>;
