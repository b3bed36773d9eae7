/** Which agent the record of earlier attempts speaks for, as the first fact of a run states it. */
import { z } from 'zod';

const NAME_MAX = 200;
const WHY_MAX = 500;

export const LearnedChoice = z.strictObject({
  /** `suggested`: the run begins with its default all the same. `explored`: too little is known about the agent. */
  kind: z.enum(['suggested', 'learned', 'explored', 'kept']),
  agent: z.string().max(NAME_MAX),
  /** The agent that the settings would begin with. */
  instead: z.string().max(NAME_MAX),
  why: z.string().max(WHY_MAX),
});
export type LearnedChoice = z.infer<typeof LearnedChoice>;
