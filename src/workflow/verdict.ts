/** How the run of a step ended for the workflow: by its outcome, its failure and the fields of its answer. */
import type { Json } from '../base/json.ts';
import { isRecord } from '../base/json.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { CollectStepResult, StepFeedback } from '../protocol/contracts/workflow-contract.ts';
import type { ReviewFinding } from './findings.ts';
import { readFindings } from './findings.ts';
import type { RecoveryAction } from './recovery-table.ts';
import { recoveryAction } from './recovery-table.ts';

export type StepVerdict =
  | { readonly kind: 'done' }
  /** Its own answer says that the work is not good enough. `isWrong`: another round of the same can't help. */
  | {
      readonly kind: 'rejected';
      readonly findings: readonly ReviewFinding[];
      readonly isWrong: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly action: RecoveryAction;
      readonly category: StepFeedback['category'];
      readonly message: string;
    };

type Failed = Extract<StepVerdict, { kind: 'failed' }>;

/** `answer` of the role says which form its answer has. */
export function judgeRun(
  answerKind: AnswerKind,
  outcome: RunOutcome,
  { answer, failure }: Pick<CollectStepResult, 'answer' | 'failure'>,
): StepVerdict {
  const { kind, reason } = outcome;
  if (kind === 'cancelled' || kind === 'killed' || kind === 'blocked' || kind === 'refused')
    return failed('escalate', failure?.category ?? 'cli_error', failure?.message ?? reason);
  if (failure !== null)
    return failed(recoveryAction(failure.reason), failure.category, failure.message);
  // If only a gate of the run is red, the gate step that follows judges its work.
  if (answer !== null) return judgeAnswer(answerKind, answer);
  if (kind === 'succeeded' || kind === 'unverified')
    return failed('with-feedback', 'parsing', 'it gave no answer in the required form');
  return failed('once', 'logic', reason);
}

/** Its status is one of the words of its schema. Anything else is no answer. */
function judgeAnswer(answerKind: AnswerKind, answer: Json): StepVerdict {
  const { status, review_status: review = null } = isRecord(answer) ? answer : {};
  const findings = readFindings(answer);
  const blocked = (): Failed => failed('escalate', 'logic', blockers(answer));
  const unfinished = (): Failed => failed('with-feedback', 'logic', blockers(answer));
  switch (answerKind) {
    case 'plan':
      if (status === 'COMPLETE') return { kind: 'done' };
      if (status === 'BLOCKED') return blocked();
      if (status === 'NEEDS_REFINEMENT') return { kind: 'rejected', findings, isWrong: false };
      return invalid();
    case 'implementation':
      if (status === 'SUCCESS') return { kind: 'done' };
      if (status === 'PARTIAL') return unfinished();
      return status === 'FAILED' ? blocked() : invalid();
    case 'review':
      if (status === 'APPROVED') return { kind: 'done' };
      if (status === 'CHANGES_REQUESTED' || status === 'REJECTED')
        return { kind: 'rejected', findings, isWrong: status === 'REJECTED' };
      return invalid();
    case 'generic':
      if (status === 'BLOCKED') return blocked();
      if (review === 'CHANGES_REQUESTED' || status === 'NEEDS_REVISION')
        return { kind: 'rejected', findings, isWrong: false };
      return status === 'SUCCESS' ? { kind: 'done' } : invalid();
  }
}

/** A reviewer approves only with the word of its schema. A generic answer has a field for it. */
export function isApproval(answerKind: AnswerKind, answer: Json): boolean {
  if (!isRecord(answer)) return false;
  if (answerKind === 'review') return answer['status'] === 'APPROVED';
  return answer['status'] === 'SUCCESS' && answer['review_status'] === 'APPROVED';
}

function failed(
  action: RecoveryAction,
  category: StepFeedback['category'],
  message: string,
): Failed {
  return { kind: 'failed', action, category, message };
}

function invalid(): Failed {
  return failed('with-feedback', 'validation', 'its answer has no status of its schema');
}

function blockers(answer: Json): string {
  const { blockers: named } = isRecord(answer) ? answer : {};
  const list = Array.isArray(named) ? named.filter((one) => typeof one === 'string') : [];
  return list.length === 0 ? 'it could not finish, and named no reason' : list.join('; ');
}
