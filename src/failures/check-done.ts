/** Checks work that an agent reports as done. */
import type { AttemptEvidence, ModelCall } from './evidence.ts';
import type { FailureCause } from './failure-cause.ts';
import { describeError, fromBudget, fromError, rulesFor } from './failure-cause.ts';

/** Why the work does not count as done. Undefined: it does. */
export function checkDone(evidence: AttemptEvidence): FailureCause | undefined {
  return checkLastCall(evidence) ?? checkAnswer(evidence);
}

/**
 * The last model call must have ended with a normal stop. A program that made no model call through
 * the gateway has nothing that could prove or disprove its claim.
 */
function checkLastCall(evidence: AttemptEvidence): FailureCause | undefined {
  const unpaid = fromBudget(evidence.calls);
  const last = lastOfWork(evidence.calls);
  if (last === undefined) return unpaid;
  if (last.stop === 'end' || (last.stop === 'tools' && unpaid === undefined)) return undefined;
  if (unpaid !== undefined) return unpaid;
  const known =
    last.error === null ? undefined : fromError(last.error, 'gateway', rulesFor(evidence));
  const line = 'it ended before its last model call was answered';
  return (
    known ?? {
      reason: 'unknown',
      source: 'gateway',
      line: last.error === null ? line : describeError(last.error),
      rule: 'gateway-unfinished',
    }
  );
}

/**
 * The last call of the work itself. If there is none, that of a subagent. An agent that offers no
 * tools has side calls only, so they count for it.
 */
function lastOfWork(calls: readonly ModelCall[]): ModelCall | undefined {
  const lastOf = (callKind: ModelCall['kind']): ModelCall | undefined =>
    calls.findLast(({ kind }) => kind === callKind);
  return lastOf('main') ?? lastOf('sub') ?? lastOf('side');
}

/** A question without a change, or no answer at all, is not finished work. */
function checkAnswer(evidence: AttemptEvidence): FailureCause | undefined {
  const { transcript, verdict, changed, tail } = evidence;
  const summary = verdict.kind === 'done' ? verdict.summary : '';
  const question = transcript.asked ?? (summary.trimEnd().endsWith('?') ? summary : null);
  if (question !== null && changed === false)
    return {
      reason: 'needs_input',
      source: 'event',
      line: question,
      rule: 'question-and-no-change',
    };
  const isSilent =
    tail !== null && summary === '' && transcript.lastWords === '' && transcript.toolsUsed === 0;
  const hasText = tail?.stdout.some((line) => line.trim() !== '') === true;
  if (isSilent && !hasText && changed !== true)
    return {
      reason: 'empty_answer',
      source: 'exit',
      line: 'ended with 0, without an answer and without a change',
      rule: 'no-answer-no-change',
    };
  return undefined;
}
