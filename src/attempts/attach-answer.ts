/** Attaches the answer that a role requires to a completed attempt, or fails the attempt. */
import type { Json } from '../base/json.ts';
import { plural, truncate } from '../base/text.ts';
import type { ReadAnswer } from '../prompts/read-answer.ts';
import { readAnswer } from '../prompts/read-answer.ts';
import type { Answer, AnswerKind } from '../protocol/answer.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import { failureClass } from '../failures/failure.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

type Unusable = Extract<ReadAnswer, { kind: 'unusable' }>;
type Completed = Extract<AttemptOutcome, { kind: 'completed' }>;

const MESSAGE_CHARS_MAX = 2000;
const SUMMARY_CHARS_MAX = 500;

/**
 * Stores the answer as the agent gave it. If the answer does not fit its schema, the attempt fails with a
 * message that the next prompt can quote. If the answer reports BLOCKED or FAILED, the attempt fails too.
 */
export function attachAnswer(
  completed: Completed,
  final: string,
  kind: AnswerKind,
): AttemptOutcome {
  const read = readAnswer(final, kind);
  const { kind: _, summary: _words, ...facts } = completed;
  if (read.kind === 'unusable') return { ...facts, ...unusable(read) };
  const answer = read.answer as Json; // It was parsed from JSON.
  const { status } = read.answer;
  if (status === 'BLOCKED' || status === 'FAILED') {
    const reason = status === 'BLOCKED' ? 'blocked' : 'unknown';
    const message = [`the agent answers ${status}`, ...listBlockers(read.answer)].join(': ');
    return { ...facts, ...failedAnswer(reason, message, 'answer-status'), answer };
  }
  return { ...completed, summary: summarize(read.answer), answer };
}

/** Text that is not JSON is a parsing failure. JSON that does not fit the schema is a validation failure. */
function unusable({ feedback, isJson }: Unusable): Failed {
  const failed = failedAnswer('invalid_output', feedback, 'answer-schema');
  if (!isJson || failed.failure === undefined) return failed;
  return { ...failed, failure: { ...failed.failure, category: 'validation' } };
}

function summarize(answer: Answer): string {
  const { status } = answer;
  if ('phases' in answer) {
    const components = answer.phases.flatMap((phase) => phase.components).length;
    return `${status}: ${plural(answer.phases.length, 'phase')}, ${plural(components, 'component')}`;
  }
  if ('issues' in answer) return `${status}: ${plural(answer.issues.length, 'issue')}`;
  if ('action_taken' in answer)
    return `${status}: ${answer.action_taken}`.slice(0, SUMMARY_CHARS_MAX);
  const touched = answer.files_created.length + answer.files_modified.length;
  return `${status}: ${plural(touched, 'file')}, ${plural(answer.tests_written.length, 'test')}`;
}

function listBlockers(answer: object): readonly string[] {
  const named = answer as {
    readonly blockers?: readonly string[] | null;
    readonly risks?: readonly string[];
  };
  const blockers = [...(named.blockers ?? []), ...(named.risks ?? [])].join('; ');
  return blockers === '' ? [] : [blockers];
}

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

function failedAnswer(reason: FailureReason, text: string, rule: string): Failed {
  const message = truncate(text, MESSAGE_CHARS_MAX);
  const [line = ''] = message.split('\n', 1);
  return {
    kind: 'failed',
    reason,
    message,
    failure: {
      ...failureClass(reason),
      reason,
      message,
      resetAt: null,
      evidence: [{ source: 'event', line, rule }],
    },
  };
}
