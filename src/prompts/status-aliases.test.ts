import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnswerKind } from '../protocol/answer.ts';
import { withKnownStatus } from './status-aliases.ts';

describe('the status of an answer', () => {
  const rows: readonly (readonly [why: string, as: AnswerKind, said: unknown, read: unknown])[] = [
    ['keeps a word of its own form', 'plan', 'COMPLETE', 'COMPLETE'],
    ['is not read in small letters', 'review', 'approved', 'approved'],
    ['may have the word of another form: completed', 'implementation', 'COMPLETED', 'SUCCESS'],
    ['may have the word of another form: partial', 'generic', 'PARTIAL', 'NEEDS_REVISION'],
    ['may have the word of another form: revision', 'implementation', 'NEEDS_REVISION', 'PARTIAL'],
    ['may have the word of another form: failed', 'plan', 'FAILED', 'BLOCKED'],
    ['of a review is no success, which could mean two things', 'review', 'SUCCESS', 'SUCCESS'],
    ['keeps a word that means nothing', 'generic', 'GREAT', 'GREAT'],
    ['keeps what is no word', 'generic', 3, 3],
  ];
  for (const [why, as, said, read] of rows)
    test(why, () => assert.deepEqual(withKnownStatus({ status: said }, as), { status: read }));
});

test('what is no object stays as it is', () => {
  assert.equal(withKnownStatus('SUCCESS', 'plan'), 'SUCCESS');
});
