/** The words in which the attempt loop decides. */
import type { RunOutcome } from '../protocol/outcome.ts';

/** Why there is another attempt. It stands in the attempt's input, for whoever asks later. */
export type DecisionReason =
  | { readonly kind: 'first' }
  /** The same agent again: the `nth` of so many retries, after a wait. */
  | { readonly kind: 'retry'; readonly nth: number; readonly of: number; readonly waitMs: number }
  | { readonly kind: 'switch'; readonly from: string }
  /** The same agent, begun afresh after a crash; no retry is used up. */
  | { readonly kind: 'restart'; readonly exit: number | null }
  /** It died with its owner. */
  | { readonly kind: 'lost' }
  /** The agent rested until its limit was over. */
  | { readonly kind: 'rested' }
  /** A gate was red, and the same agent mends what it found. */
  | { readonly kind: 'gate'; readonly gate: string; readonly nth: number; readonly of: number }
  /** It asked, and nobody was there; or somebody answered. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'answered' }
  /** Its answer was cut for its length, and it goes on in the same conversation. */
  | { readonly kind: 'cut-short'; readonly nth: number; readonly of: number }
  /** Its conversation could not be taken up. */
  | { readonly kind: 'afresh' }
  /** A turn of an agent that lives long. */
  | {
      readonly kind: 'turn';
      readonly life: number;
      readonly cause: 'first' | 'restarted' | 'interrupted' | 'told' | 'queue' | 'go-on';
    };

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
