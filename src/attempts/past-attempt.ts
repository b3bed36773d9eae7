/** What the attempt loop stores about each attempt of its run. */
import { isLimitedStart } from './choice/limit-series.ts';
import { failureOf } from '../failures/failure.ts';
import type {
  AttemptOutcome,
  ClassifiedFailure,
  FailedAttempt,
} from '../protocol/contracts/attempt-contract.ts';
import type { FailedGate } from '../protocol/contracts/gate-contract.ts';

/** A gate that was not green, with the end of its output. */
export type RedGate = {
  readonly name: string;
  readonly kind: 'failed' | 'unable';
  readonly output: string;
  /** The run ends as blocked: no agent tries again. */
  readonly blocks?: true;
  /** A person decides what follows. */
  readonly asks?: true;
  /** It was not run, because this gate, on which it depends, is red. */
  readonly skippedFor?: string;
  /** How its failures differ from those of the base. Absent: it was not red there, or that is not known. */
  readonly sinceBase?: string;
  /** Its outcome and its place among the gates, until a later attempt has a red gate. Absent: it has not judged the files. */
  readonly judged?: { readonly outcome: FailedGate; readonly place: number };
};

export type AttemptRecord = {
  readonly number: number;
  readonly agent: string;
  readonly identity: string;
  /** Whether the attempt continued an earlier conversation. */
  readonly resumed: boolean;
  /** The prompt that it got in that conversation. */
  readonly resumePrompt: string | null;
  readonly session: string | null;
  /** Names the files that it left: equal for the same files. Null: its work was not stored. */
  readonly content: string | null;
  /** How many files the attempt changed, and some of their names. Null: its work was not stored. */
  readonly files: number | null;
  readonly names: readonly string[];
  /** How long the run had waited for limits, since the attempt before. Absent: not at all. */
  readonly limitWaitMs?: number;
  /** A model has answered it. Absent: none has, or no gateway saw it. */
  readonly hasTurns?: true;
};

/** Its texts are short, and the evidence of its failure is in the journal alone. */
export type PastAttempt = AttemptRecord & {
  readonly endedAt: number;
  /** Whether its limit is in the cooldown store, which all runs read. Null: not written yet. */
  readonly isCooldownStored: boolean | null;
  readonly redGate: RedGate | null;
  /** A provider's limit ended it before any work. Absent: it counts as an attempt of the run. */
  readonly isLimitedStart?: true;
} & (
    | { readonly kind: 'completed'; readonly summary: string; readonly failure: null }
    | {
        readonly kind: 'failed';
        readonly failure: ClassifiedFailure;
        readonly exit: number | null;
      }
    | { readonly kind: 'stopped'; readonly failure: null }
  );

export type FailedPastAttempt = Extract<PastAttempt, { kind: 'failed' }>;

const MESSAGE_MAX = 1000;
const SUMMARY_MAX = 2000;

export function toPastAttempt(
  attempt: AttemptRecord,
  outcome: AttemptOutcome,
  endedAt: number,
): PastAttempt {
  const named = outcome.kind === 'stopped' ? null : (outcome.session ?? null);
  const past = {
    ...attempt,
    session: named ?? attempt.session,
    endedAt,
    isCooldownStored: null,
    redGate: null,
    ...(isLimitedStart(outcome, attempt.hasTurns === true)
      ? { isLimitedStart: true as const }
      : {}),
  };
  switch (outcome.kind) {
    case 'completed':
      return {
        ...past,
        kind: 'completed',
        summary: outcome.summary.slice(0, SUMMARY_MAX),
        failure: null,
      };
    case 'stopped':
      return { ...past, kind: 'stopped', failure: null };
    case 'failed': {
      const exit = outcome.exit ?? null;
      return { ...past, kind: 'failed', failure: shortFailure(outcome), exit };
    }
  }
}

/** A failure as a program stores it in its state. */
export function shortFailure(outcome: FailedAttempt): ClassifiedFailure {
  const failure = failureOf(outcome);
  return { ...failure, message: failure.message.slice(0, MESSAGE_MAX), evidence: [] };
}
