/** The decisions that the attempt loop can make. */
import type { RunOutcome } from '../protocol/outcome.ts';
import type { DecisionReason } from '../protocol/attempt-contract.ts';

export type AttemptDecision =
  /** The availability check comes first: which agents are cooling down, and how much each has worked. */
  | { readonly kind: 'check-availability' }
  | {
      readonly kind: 'attempt';
      readonly agent: string;
      readonly waitMs: number;
      readonly why: DecisionReason;
      /** The conversation to continue. */
      readonly session: string | null;
      /** The prompt in that conversation. Without a conversation, an addition to the task. */
      readonly message: string | null;
    }
  /** All agents that are left are cooling down. */
  | { readonly kind: 'wait-for-cooldown'; readonly until: number; readonly agent: string }
  | {
      readonly kind: 'ask';
      readonly question: string;
      readonly choices?: readonly string[];
      /** The run lacks a key. */
      readonly about?: 'keys';
    }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

export function endRun(kind: RunOutcome['kind'], reason: string): AttemptDecision {
  return { kind: 'end', outcome: { kind, reason } };
}
