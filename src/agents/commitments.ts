/**
 * What an agent, and its parent for it, have promised. "Done" is a request; whether it is complete is a
 * verdict, and only assertions that we run decide it. All of them are run each time: one that failed
 * before is not forgiven, and one that passed before may have been broken since.
 */
import { isRecord, parseJson } from '../base/json.ts';
import type { PinnedCommitment } from '../protocol/long-lived-agent.ts';

export type Commitment = PinnedCommitment & {
  readonly status: 'pending' | 'passed' | 'failed';
  /** Why it failed last. */
  readonly failure: string | null;
};

/** How one assertion ended. */
export type CommitmentCheck =
  | { readonly kind: 'exited'; readonly code: number; readonly tail: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** It could not be run: which is no proof of anything, so it does not hold. */
  | { readonly kind: 'unable'; readonly why: string };

export type CommitmentVerdict =
  | { readonly kind: 'complete' }
  /** Its parent asked for nothing, so nobody can say. */
  | { readonly kind: 'unverified' }
  | { readonly kind: 'not-yet'; readonly failures: readonly string[] };

const WORDS = new Set(['DONE', 'COMPLETED']);

/**
 * Whether its last line says that it is done: `{"status":"done"}`, or one of two words and nothing beside
 * them. "ABANDONED", "NOT DONE" and "I am DONE with this" are not that.
 */
export function claimsDone(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const answer = parseJson(last);
  if (isRecord(answer)) return answer['status'] === 'done';
  return WORDS.has(last);
}

/** The commitments after a round of checks, one for each in their order. */
export function judgeRound(
  commitments: readonly Commitment[],
  checks: readonly CommitmentCheck[],
): { readonly commitments: readonly Commitment[]; readonly verdict: CommitmentVerdict } {
  if (checks.length !== commitments.length)
    throw new RangeError(`${checks.length} checks for ${commitments.length} commitments`);
  const judged = commitments.map((commitment, index): Commitment => {
    const failure = failureOf(checks[index]);
    return { ...commitment, status: failure === null ? 'passed' : 'failed', failure };
  });
  const failures = judged.flatMap(({ description, failure }) =>
    failure === null ? [] : [`${description}: ${failure}`],
  );
  if (failures.length > 0) return { commitments: judged, verdict: { kind: 'not-yet', failures } };
  // What it asks of itself alone proves nothing to others: it could promise what always holds.
  const kind = judged.some(({ by }) => by === 'parent') ? 'complete' : 'unverified';
  return { commitments: judged, verdict: { kind } };
}

function failureOf(check: CommitmentCheck | undefined): string | null {
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
