/** The decisions that the attempt loop can make. */
import { asSentence } from '../base/text.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { DecisionReason } from '../protocol/contracts/attempt-contract.ts';

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
      /** The gate that is red. The answer `accept` continues all the same. */
      readonly redGate?: string;
    }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

/** `why` is the question without the choices: if the run asks no person, it ends for this reason. */
export function askOrEnd(
  { recovery }: Pick<AttemptSettings, 'recovery'>,
  question: Omit<Extract<AttemptDecision, { kind: 'ask' }>, 'kind'>,
  why: string = question.question,
): AttemptDecision {
  if (recovery.ask !== false) return { kind: 'ask', ...question };
  return endRun(
    'blocked',
    `${asSentence(why)} The run ends here, because it may not ask (--no-ask)`,
  );
}

export function endRun(kind: RunOutcome['kind'], reason: string): AttemptDecision {
  return { kind: 'end', outcome: { kind, reason } };
}
