/** What several reviewers decide together. */
import type { ReviewStep } from '../protocol/workflow-definition.ts';

/** `inconclusive`: the reviewer failed, so it neither approves nor rejects. */
export type ReviewerVote = 'approved' | 'rejected' | 'inconclusive';

/** A reviewer that failed counts for neither side: the result must be the same however it would have voted. */
export function aggregateVotes(
  agree: ReviewStep['agree'],
  votes: readonly ReviewerVote[],
): ReviewerVote {
  const approved = votes.filter((vote) => vote === 'approved').length;
  const rejected = votes.filter((vote) => vote === 'rejected').length;
  const needed = approvalsNeeded(agree, votes.length);
  if (votes.length > 0 && approved >= needed) return 'approved';
  if (votes.length - rejected < needed) return 'rejected';
  return 'inconclusive';
}

function approvalsNeeded(agree: ReviewStep['agree'], reviewers: number): number {
  switch (agree) {
    case 'all':
      return reviewers;
    case 'any':
      return 1;
    case 'majority':
      return Math.floor(reviewers / 2) + 1;
  }
}
