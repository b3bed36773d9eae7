/**
 * The commitments of an agent and its parent. "Done" is a request, and only commands that Supervisor runs decide
 * about it. All of them run each time: one that failed before must pass now, and one that passed before may
 * have been broken since.
 */
import { isRecord, parseJson } from '../base/json.ts';
import type { PinnedCommitment } from '../protocol/long-lived-agent.ts';

export type Commitment = PinnedCommitment & {
  readonly status: 'pending' | 'passed' | 'failed';
  /** Why the last check failed. */
  readonly failure: string | null;
};

/** How one check ended. */
export type CommitmentCheck =
  | { readonly kind: 'exited'; readonly code: number; readonly tail: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** The command could not run, which proves nothing, so the commitment fails. */
  | { readonly kind: 'unable'; readonly why: string };

export type CommitmentVerdict =
  | { readonly kind: 'complete' }
  /** The parent has no commitments, so nothing was verified. */
  | { readonly kind: 'unverified' }
  | { readonly kind: 'not-yet'; readonly failures: readonly string[] };

const DONE_WORDS = new Set(['DONE', 'COMPLETED']);

/**
 * Whether the last line claims done: `{"status":"done"}`, or one of two words alone. "ABANDONED", "NOT DONE"
 * and "I am DONE with this" are no claims.
 */
export function claimsDone(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const answer = parseJson(last);
  if (isRecord(answer)) return answer['status'] === 'done';
  return DONE_WORDS.has(last);
}

/** Judges a round of checks: one for each commitment, in order. */
export function judgeRound(
  commitments: readonly Commitment[],
  checks: readonly CommitmentCheck[],
): { readonly commitments: readonly Commitment[]; readonly verdict: CommitmentVerdict } {
  if (checks.length !== commitments.length)
    throw new RangeError(`${checks.length} checks for ${commitments.length} commitments`);
  const judged = commitments.map((commitment, index): Commitment => {
    const failure = describeFailure(checks[index]);
    return { ...commitment, status: failure === null ? 'passed' : 'failed', failure };
  });
  const failures = judged.flatMap(({ description, failure }) =>
    failure === null ? [] : [`${description}: ${failure}`],
  );
  if (failures.length > 0) return { commitments: judged, verdict: { kind: 'not-yet', failures } };
  // The agent's own commitments alone prove nothing: it could commit to what always holds.
  const kind = judged.some(({ by }) => by === 'parent') ? 'complete' : 'unverified';
  return { commitments: judged, verdict: { kind } };
}

function describeFailure(check: CommitmentCheck | undefined): string | null {
  if (check === undefined) return 'it was not checked';
  switch (check.kind) {
    case 'exited':
      return check.code === 0 ? null : `it exited with ${check.code}: ${check.tail}`;
    case 'timed-out':
      return `it took longer than ${check.afterMs} ms`;
    case 'unable':
      return `it could not be run: ${check.why}`;
  }
}
