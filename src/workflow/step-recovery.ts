/** What follows when the run of a step has failed, as one pure decision. */
import type { DegradationLevel } from '../protocol/contracts/workflow-contract.ts';
import type { RetryPolicy } from '../protocol/workflow-definition.ts';
import type { RecoveryAction } from './recovery-table.ts';

export type FailureFacts = {
  readonly action: RecoveryAction;
  /** How often the step has failed in a row, with this failure. */
  readonly failed: number;
  /** The form of the task that has failed. */
  readonly level: DegradationLevel;
  readonly retry: RetryPolicy;
  readonly isBreakerOpen: boolean;
};

export type Recovery =
  /** At once, with feedback. */
  | { readonly kind: 'again' }
  /** The same after a wait, for the `nth` time. */
  | { readonly kind: 'wait'; readonly nth: number }
  /** A simpler form of the task. */
  | { readonly kind: 'degrade'; readonly level: DegradationLevel }
  /** It has failed for good. */
  | { readonly kind: 'fail' }
  | { readonly kind: 'ask' };

const ASK: Recovery = { kind: 'ask' };
/** An unknown failure is tried once more. */
const UNKNOWN_TRIES_MAX = 2;

export function decideRecovery(facts: FailureFacts): Recovery {
  const { action, failed, level, retry, isBreakerOpen } = facts;
  if (action === 'escalate' || isBreakerOpen) return ASK;
  // Each simpler form is tried once.
  if (level === 'core') return { kind: 'degrade', level: 'minimal' };
  if (level === 'minimal') return { kind: 'fail' };
  const triesMax =
    action === 'once' ? Math.min(UNKNOWN_TRIES_MAX, retry.attemptsMax) : retry.attemptsMax;
  if (failed < triesMax)
    return action === 'with-feedback' ? { kind: 'again' } : { kind: 'wait', nth: failed };
  if (retry.whenUsedUp === 'degrade') return { kind: 'degrade', level: 'core' };
  return action === 'once' || retry.whenUsedUp === 'ask' ? ASK : { kind: 'fail' };
}

/** How long the step waits before it is repeated for the `nth` time. `random` is in [0, 1). */
export function retryWaitMs(retry: RetryPolicy, nth: number, random: number): number {
  const { initialMs, multiplier, waitMaxMs, jitter } = retry;
  const plain = Math.min(waitMaxMs, initialMs * multiplier ** (nth - 1));
  return Math.round(plain * (1 + jitter * (2 * random - 1)));
}
