/** Finds the red gate of files that were judged before, so that a gate is not run twice on the same files. */
import type { KnownRed } from '../protocol/gate-contract.ts';
import type { AttemptsState } from './attempts-state.ts';
import type { PastAttempt } from './past-attempt.ts';

type Judged = Pick<AttemptsState, 'past' | 'baseline' | 'settings'>;

/**
 * Undefined: the files are new, or their content is unknown. A gate that could not run is tried again: it has judged
 * nothing, and what it lacked may be there now.
 */
export function knownRed(
  state: Judged,
  { content, number }: Pick<PastAttempt, 'content' | 'number'>,
): KnownRed | undefined {
  if (content === null) return undefined;
  const before = state.past.findLast((one) => one.number !== number && one.redGate !== null);
  if (before?.content !== content) return redOnBase(state, content);
  if (before.redGate?.judged === undefined) return undefined;
  const { outcome, place } = before.redGate.judged;
  return { place, outcome, since: outcome.knownSince ?? before.number };
}

/** The first gate that was red on the base, if these are the files of the base. */
function redOnBase({ baseline, settings }: Judged, content: string): KnownRed | undefined {
  for (const [place, { outcome, content: base }] of baseline.results.entries()) {
    if (base !== content) return undefined;
    if (outcome.kind === 'unable') return undefined;
    const isRed = outcome.kind === 'failed' && settings.gates?.[place]?.warns !== true;
    if (isRed) return { place, outcome, since: 'base' };
  }
  return undefined;
}
