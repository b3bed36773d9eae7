/** The reason of a run that ended well is what its agent says about its own work. A reader must not take it for a fact. */
import type { RunOutcome } from '../outcome.ts';
import { endedBadly } from '../outcome.ts';
import { ATTEMPTS_PROGRAM } from '../run-submission.ts';

type Ended = { readonly program: string; readonly outcome: RunOutcome | null };

export function isClaim({ program, outcome }: Ended): boolean {
  if (program !== ATTEMPTS_PROGRAM || outcome === null) return false;
  return !endedBadly(outcome) && outcome.reason !== '';
}

export function asClaim(reason: string): string {
  return `the agent says: ${reason}`;
}
