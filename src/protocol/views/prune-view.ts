/** Making room: what ended runs have left on the disk, and what became of it. */
import { z } from 'zod';

const instant = z.number().int().min(0);

/** Runs that ended before this moment. The same moment names the same runs, or fewer, whenever it is said. */
export const PruneQuery = z.strictObject({ before: z.coerce.number().int().min(0) });
export const PruneRequest = z.strictObject({ before: instant });
export type PruneRequest = z.infer<typeof PruneRequest>;

/**
 * `workspace`: its work goes onto its ref first. `home`: what its agents kept for themselves. `output`: what
 * was printed, and the recording of model calls. `brief`: a prompt that no other run names.
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
  /** Long-lived agents that go on, with what lives have left that are long over. */
  agents: z.array(
    z.strictObject({
      run: z.string(),
      task: z.string(),
      lives: z.number().int(),
      leftovers: z.array(Leftover),
    }),
  ),
  /** Of no run in particular: what was kept once for all runs that name it. */
  briefs: z.array(Leftover),
});
export type PrunePlan = z.infer<typeof PrunePlan>;

export const Pruned = z.strictObject({
  runs: z.number().int(),
  agents: z.number().int(),
  briefs: z.number().int(),
  bytes: z.number().int(),
  /** What was left where it is, and why. */
  stays: z.array(z.strictObject({ path: z.string(), why: z.string() })),
});
export type Pruned = z.infer<typeof Pruned>;
