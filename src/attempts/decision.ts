/** The words in which the attempt loop decides. */
import type { RunOutcome } from '../protocol/outcome.ts';
import type { DecisionReason } from '../protocol/attempt-contract.ts';

export type AttemptDecision =
  /** Somebody has to look around first: which agents rest, which have worked how much. */
  | { readonly kind: 'look' }
  | {
      readonly kind: 'attempt';
      readonly agent: string;
      readonly waitMs: number;
      readonly why: DecisionReason;
      /** The conversation to go on with. */
      readonly session: string | null;
      /** What is new: said in that conversation, or beside the task where there is none. */
      readonly say: string | null;
    }
  /** Nothing but limits is in the way. */
  | { readonly kind: 'rest'; readonly until: number; readonly agent: string }
  | { readonly kind: 'ask'; readonly question: string; readonly choices?: readonly string[] }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

export function endRun(kind: RunOutcome['kind'], reason: string): AttemptDecision {
  return { kind: 'end', outcome: { kind, reason } };
}
