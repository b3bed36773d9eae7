/** The exit code that stands for the outcome of a run. */
import type { RunOutcome } from './outcome.ts';

const OF_OUTCOME = {
  succeeded: 0,
  unverified: 0,
  failed: 1,
  refused: 1,
  exhausted: 1,
  blocked: 1,
  cancelled: 130,
  killed: 137,
} as const satisfies Record<RunOutcome['kind'], number>;

export function exitCodeOf({ kind }: RunOutcome): number {
  return OF_OUTCOME[kind];
}
