import { z } from 'zod';
import { OUTCOME_KINDS } from './outcome-kinds.ts';

/** In characters. */
export const REASON_MAX = 2000;

/** The first words of the reason if its agents reported that they are done, changed nothing, and a gate stayed red. */
export const NO_PROGRESS = 'no progress';

/** In the reason if an attempt took longer than it may: with the same deadline, another one would too. */
export const PAST_DEADLINE = 'ran past its deadline';

/** How a run ended. A run ends exactly once, in exactly one of these. */
export const RunOutcome = z.strictObject({
  kind: z.enum(OUTCOME_KINDS),
  /** One sentence for a person. */
  reason: z.string().max(REASON_MAX),
  /** What only a person can give, if the run ended because it may not ask for it. */
  needs: z.literal('approval').exactOptional(),
});
export type RunOutcome = z.infer<typeof RunOutcome>;

/** Whether the work is not done. Such a run can be resumed. */
export function endedBadly({ kind }: RunOutcome): boolean {
  return kind !== 'succeeded' && kind !== 'unverified';
}
