/** Finds the red gate of files that were judged before, so that a gate is not run twice on the same files. */
import type { KnownRed } from '../protocol/gate-contract.ts';
import type { AttemptsState } from './attempts-state.ts';
import type { PastAttempt } from './past-attempt.ts';

/**
 * Undefined: the files are new, or their content is unknown. A gate that could not run is tried again: it has judged
 * nothing, and what it lacked may be there now.
 */
export function knownRed(
  { past }: Pick<AttemptsState, 'past'>,
  { content, number }: Pick<PastAttempt, 'content' | 'number'>,
): KnownRed | undefined {
  if (content === null) return undefined;
  const before = past.findLast((one) => one.number !== number && one.redGate !== null);
  if (before?.content !== content || before.redGate?.judged === undefined) return undefined;
  const { outcome, place } = before.redGate.judged;
  return { place, outcome, since: outcome.knownSince ?? before.number };
}
