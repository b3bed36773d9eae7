import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../base/json.ts';
import { failureClass } from '../failures/failure.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { judgeRun } from './verdict.ts';

type Given = {
  readonly role: AnswerKind;
  readonly answer?: Json;
  readonly outcome?: RunOutcome['kind'];
  readonly failure?: FailureReason;
};

/** The verdict in one line: `failed with-feedback logic: no time`. */
function verdict({ role, answer = null, outcome = 'unverified', failure }: Given): string {
  const classified =
    failure === undefined
      ? null
      : {
          ...failureClass(failure),
          reason: failure,
          message: failure,
          resetAt: null,
          evidence: [],
        };
  const judged = judgeRun(
    role,
    { kind: outcome, reason: 'its reason' },
    { answer, failure: classified },
  );
  if (judged.kind !== 'failed') return judged.kind;
  return `failed ${judged.action} ${judged.category}: ${judged.message}`;
}

const ROWS: readonly (readonly [why: string, given: Given, expected: string])[] = [
  ['a complete plan is done', { role: 'plan', answer: { status: 'COMPLETE' } }, 'done'],
  [
    'a plan may be rejected by itself',
    { role: 'plan', answer: { status: 'NEEDS_REFINEMENT' } },
    'rejected',
  ],
  [
    'a plan that is blocked needs a person',
    { role: 'plan', answer: { status: 'BLOCKED' } },
    'failed escalate logic: it could not finish, and named no reason',
  ],
  ['an implementation is done', { role: 'implementation', answer: { status: 'SUCCESS' } }, 'done'],
  [
    'half of an implementation continues',
    { role: 'implementation', answer: { status: 'PARTIAL', blockers: ['no time', 3] } },
    'failed with-feedback logic: no time',
  ],
  [
    'an implementation that failed needs a person',
    { role: 'implementation', answer: { status: 'FAILED', blockers: ['a', 'b'] } },
    'failed escalate logic: a; b',
  ],
  ['a review approves', { role: 'review', answer: { status: 'APPROVED' } }, 'done'],
  [
    'a review wants changes',
    { role: 'review', answer: { status: 'CHANGES_REQUESTED' } },
    'rejected',
  ],
  ['a review rejects', { role: 'review', answer: { status: 'REJECTED' } }, 'rejected'],
  ['a generic answer is done', { role: 'generic', answer: { status: 'SUCCESS' } }, 'done'],
  [
    'a generic answer may reject the work',
    { role: 'generic', answer: { status: 'SUCCESS', review_status: 'CHANGES_REQUESTED' } },
    'rejected',
  ],
  [
    'a generic answer may want a revision',
    { role: 'generic', answer: { status: 'NEEDS_REVISION' } },
    'rejected',
  ],
  [
    'words of another schema are no answer',
    { role: 'review', answer: { status: 'SUCCESS' } },
    'failed with-feedback validation: its answer has no status of its schema',
  ],
  [
    'prose is no answer',
    { role: 'review', answer: 'REVIEW_STATUS: APPROVED' },
    'failed with-feedback validation: its answer has no status of its schema',
  ],
  [
    'no answer is asked for again',
    { role: 'plan' },
    'failed with-feedback parsing: it gave no answer in the required form',
  ],
  [
    'a failure counts before the answer',
    { role: 'plan', answer: { status: 'COMPLETE' }, outcome: 'failed', failure: 'auth' },
    'failed escalate cli_error: auth',
  ],
  [
    'if only a gate of the run was red, the gate step judges the work',
    { role: 'implementation', answer: { status: 'SUCCESS' }, outcome: 'failed' },
    'done',
  ],
  [
    'an end without a cause is tried once more',
    { role: 'implementation', outcome: 'exhausted' },
    'failed once logic: its reason',
  ],
  [
    'a run that a person stopped needs a person, even with an answer',
    { role: 'plan', answer: { status: 'COMPLETE' }, outcome: 'cancelled' },
    'failed escalate cli_error: its reason',
  ],
];

describe('the verdict about the run of a step', () => {
  for (const [why, given, expected] of ROWS)
    test(why, () => assert.equal(verdict(given), expected));
});
