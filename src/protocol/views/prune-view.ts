/** Pruning: the files that ended runs have left on the disk, and what was removed. */
import { z } from 'zod';

const instant = z.number().int().min(0);

/** Runs that ended before this time. A later request with the same time names the same runs or fewer. */
export const PruneQuery = z.strictObject({ before: z.coerce.number().int().min(0) });
export const PruneRequest = z.strictObject({ before: instant });
export type PruneRequest = z.infer<typeof PruneRequest>;

/**
 * `workspace`: its work is committed to its ref first. `home`: the files of its agents' own homes. `output`: the
 * output and the recorded model calls. `brief`: a prompt that no other run uses.
 */
export const LeftoverKind = z.enum(['workspace', 'home', 'output', 'brief']);
export type LeftoverKind = z.infer<typeof LeftoverKind>;

export const Leftover = z.strictObject({
  kind: LeftoverKind,
  path: z.string(),
  bytes: z.number().int(),
});
export type Leftover = z.infer<typeof Leftover>;

export const PrunePlan = z.strictObject({
  before: instant,
  bytes: z.number().int(),
  runs: z.array(
    z.strictObject({
      run: z.string(),
      task: z.string(),
      endedAt: instant,
      leftovers: z.array(Leftover),
    }),
  ),
  /** Active long-lived agents, with the files that their old lives have left. */
  agents: z.array(
    z.strictObject({
      run: z.string(),
      task: z.string(),
      lives: z.number().int(),
      leftovers: z.array(Leftover),
    }),
  ),
  /** Briefs belong to no single run: each is stored once for all runs that use it. */
  briefs: z.array(Leftover),
});
export type PrunePlan = z.infer<typeof PrunePlan>;

export const Pruned = z.strictObject({
  runs: z.number().int(),
  agents: z.number().int(),
  briefs: z.number().int(),
  bytes: z.number().int(),
  /** What was not removed, and why. */
  remaining: z.array(z.strictObject({ path: z.string(), why: z.string() })),
});
export type Pruned = z.infer<typeof Pruned>;
