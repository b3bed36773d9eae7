import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReviewStep } from '../protocol/workflow-definition.ts';
import type { ReviewerVote } from './review.ts';
import { aggregateVotes } from './review.ts';

const VOTES = { y: 'approved', n: 'rejected', '?': 'inconclusive' } as const;

/** Votes are written as `y`, `n` and `?`, which is a reviewer that failed. */
const ROWS: readonly (readonly [ReviewStep['agree'], string, ReviewerVote])[] = [
  ['all', 'yy', 'approved'],
  ['all', 'yn', 'rejected'],
  ['all', 'n?', 'rejected'],
  ['all', 'y?', 'inconclusive'],
  ['all', '', 'inconclusive'],
  ['any', 'yn', 'approved'],
  ['any', 'y?', 'approved'],
  ['any', 'nn', 'rejected'],
  ['any', 'n?', 'inconclusive'],
  ['any', '', 'rejected'],
  ['majority', 'yyn', 'approved'],
  ['majority', 'yn', 'rejected'],
  ['majority', 'yy?', 'approved'],
  ['majority', 'yn?', 'inconclusive'],
  ['majority', 'nn?', 'rejected'],
  ['majority', 'y?', 'inconclusive'],
];

describe('reviewers that decide together', () => {
  for (const [agree, votes, expected] of ROWS)
    test(`${agree} of ${votes === '' ? 'none' : votes}: ${expected}`, () => {
      const given = votes.split('').map((vote) => VOTES[vote as keyof typeof VOTES]);
      assert.equal(aggregateVotes(agree, given), expected);
    });
});
