/** What a shell learns. Usage 2 and defect 70 are fixed; how a run ended has one code a kind. */
import type { RunOutcome } from '../protocol/outcome.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Only where somebody has asked for proof. */
  unproven: 3,
  defect: 70,
  interrupted: 130,
} as const;

const OF_OUTCOME = {
  succeeded: 0,
  unverified: 0,
  failed: 1,
  refused: 1,
  exhausted: 1,
  blocked: 3,
  cancelled: 130,
  killed: 137,
} as const satisfies Record<RunOutcome['kind'], number>;

export function exitCodeOf(outcome: RunOutcome): number {
  return OF_OUTCOME[outcome.kind];
}
