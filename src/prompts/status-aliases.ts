/**
 * Each form of answer has its own words for its status, and a model may use those of another form. A word that means
 * the same is accepted, so that no attempt is paid twice for it. A word that could mean two things is not.
 */
import { isRecord } from '../base/json.ts';
import type { AnswerKind } from '../protocol/answer.ts';

const ALIASES: Readonly<Record<AnswerKind, Readonly<Record<string, string>>>> = {
  plan: {
    ...{ COMPLETED: 'COMPLETE', DONE: 'COMPLETE', SUCCESS: 'COMPLETE' },
    ...{ NEEDS_REVISION: 'NEEDS_REFINEMENT', PARTIAL: 'NEEDS_REFINEMENT', FAILED: 'BLOCKED' },
  },
  implementation: {
    ...{ COMPLETE: 'SUCCESS', COMPLETED: 'SUCCESS', DONE: 'SUCCESS' },
    ...{ NEEDS_REVISION: 'PARTIAL', NEEDS_REFINEMENT: 'PARTIAL', BLOCKED: 'FAILED' },
  },
  // Its success could mean that the review is done, or that the work is good.
  review: { NEEDS_REVISION: 'CHANGES_REQUESTED' },
  generic: {
    ...{ COMPLETE: 'SUCCESS', COMPLETED: 'SUCCESS', DONE: 'SUCCESS' },
    ...{ PARTIAL: 'NEEDS_REVISION', NEEDS_REFINEMENT: 'NEEDS_REVISION', FAILED: 'BLOCKED' },
  },
};

export function withKnownStatus(value: unknown, as: AnswerKind): unknown {
  if (!isRecord(value) || typeof value['status'] !== 'string') return value;
  const known = ALIASES[as][value['status']];
  return known === undefined ? value : { ...value, status: known };
}
