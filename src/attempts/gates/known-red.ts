/** Finds the red gate of files that were judged before, so that a gate is not run twice on the same files. */
import type { FailedGate, KnownRed } from '../../protocol/contracts/gate-contract.ts';
import type { AttemptsState } from '../attempts-state.ts';
import { isStuck } from './no-progress.ts';
import type { PastAttempt } from '../past-attempt.ts';

type Judged = Pick<AttemptsState, 'past' | 'baseline' | 'settings'>;

/**
 * Undefined: the files are new, or their content is unknown. A gate that could not run is tried again: it has judged
 * nothing, and what it lacked may be there now. Before an agent is given up because it changes nothing, its gate runs
 * once more: it may be one that is red only at times.
 */
export function knownRed(
  state: Judged,
  { content, number, identity }: Pick<PastAttempt, 'content' | 'number' | 'identity'>,
): KnownRed | undefined {
  if (content === null) return undefined;
  if (isStuck(state, identity)) return undefined;
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
    if (outcome.kind === 'unable' || (outcome.kind === 'failed' && !hasJudged(outcome)))
      return undefined;
    const isRed = outcome.kind === 'failed' && settings.gates?.[place]?.warns !== true;
    if (isRed) return { place, outcome, since: 'base' };
  }
  return undefined;
}

/**
 * A gate that was ended from outside, by its time limit, a signal or a limit of the sandbox, says as much about the
 * machine as about the files.
 */
export function hasJudged({ exit }: Pick<FailedGate, 'exit'>): boolean {
  return exit !== null;
}

type Forked = Pick<AttemptsState, 'past' | 'baseline'>;

/** A person who resumes a run may have repaired what made the gate red: the machine, or a test that is red at times. */
export function forgetKnownRed<State extends Forked>(state: State): State {
  const { past, baseline } = state;
  const results = baseline.results.map((one) => ({ ...one, content: null }));
  return {
    ...state,
    baseline: { ...baseline, results },
    past: past.map((one) => {
      if (one.redGate?.judged === undefined) return one;
      const { judged: _, ...redGate } = one.redGate;
      return { ...one, redGate };
    }),
  };
}
