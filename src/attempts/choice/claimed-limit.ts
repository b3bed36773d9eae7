/**
 * A limit that the agent reports and that no model call shows. It is not proven, so its identity does not cool down in
 * other runs. But it may be true, so this run waits and tries again before it gives up.
 */
import { failureClass } from '../../failures/failure.ts';
import type { ClassifiedFailure } from '../../protocol/contracts/attempt-contract.ts';
import { countFailures, otherAgents } from './agent-history.ts';
import type { AttemptsState } from '../attempts-state.ts';
import type { FailedPastAttempt } from '../past-attempt.ts';
import { LIMIT_WAITS_MS } from './limit-series.ts';
import { nthDelay, recoveryPolicy } from './presets.ts';

export type ClaimedLimitRetry = {
  readonly kind: 'retry';
  readonly nth: number;
  readonly of: number;
  readonly waitMs: number;
};

function isClaimed({ reason, coolsDown }: ClassifiedFailure): boolean {
  return failureClass(reason).coolsDown && !coolsDown;
}

/** Undefined: it is no such limit, another agent can work, or the run has waited often enough. */
export function retryAfterClaimedLimit(
  state: AttemptsState,
  { identity, failure }: FailedPastAttempt,
  now: number,
): ClaimedLimitRetry | undefined {
  const { waitForReset, waitMaxMs } = recoveryPolicy(state.settings.recovery);
  if (!isClaimed(failure) || !waitForReset) return undefined;
  if (otherAgents(state, identity, now).length > 0) return undefined;
  const nth = countFailures(state, identity, isClaimed);
  const waitMs = Math.max(nthDelay(LIMIT_WAITS_MS, nth), (failure.resetAt ?? now) - now);
  if (nth > LIMIT_WAITS_MS.length || waitMs > waitMaxMs) return undefined;
  return { kind: 'retry', nth, of: LIMIT_WAITS_MS.length, waitMs };
}
