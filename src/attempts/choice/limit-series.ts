/**
 * Attempts that a provider's limit ended before any work. They use up none of the attempts of a run. In their place, time
 * bounds them: each waits longer than the one before, and `recovery.wait_max_s` ends the series.
 */
import type { AttemptOutcome } from '../../protocol/contracts/attempt-contract.ts';
import type { AttemptsState } from '../attempts-state.ts';
import type { PastAttempt } from '../past-attempt.ts';
import { nthDelay } from './presets.ts';

/** Before the second try after a limit, the third, and so on. The last one repeats. */
export const LIMIT_WAITS_MS = [60_000, 300_000, 900_000, 1_800_000, 3_600_000];

/** Work is an answer of the model, or a file that differs. */
export function isLimitedStart(outcome: AttemptOutcome, hasTurns: boolean): boolean {
  if (outcome.kind !== 'failed' || outcome.failure?.coolsDown !== true) return false;
  const wrote = (outcome.usage?.outputTokens ?? 0) > 0;
  return !hasTurns && !wrote && outcome.changed !== true;
}

type Past = Pick<AttemptsState, 'past' | 'resumedAfter'>;

/** The newest attempts, as far as each was ended by a limit before any work. Without those of a run that was resumed. */
function series({ past, resumedAfter = 0 }: Past, identity?: string): readonly PastAttempt[] {
  const own = past.slice(resumedAfter).filter((one) => one.identity === (identity ?? one.identity));
  const before = own.findLastIndex((one) => one.isLimitedStart !== true);
  return own.slice(before + 1);
}

/**
 * How long limits alone have held up the run: its waits for them, since an attempt worked. Each try uses up its growing
 * wait even if other agents have tried during that time, so agents do not take turns for ever. A time in which nothing
 * happened, because of a pause, a machine that slept or a dead owner, uses up no more than that.
 */
export function heldUpMs(state: Past & Pick<AttemptsState, 'limitWaitMs'>): number {
  const tries = series(state);
  return tries.reduce((sum, { endedAt, limitWaitMs = 0 }, place) => {
    const before = tries[place - 1];
    const own =
      before === undefined ? 0 : Math.min(endedAt, nextTryAt(state, before)) - before.endedAt;
    return sum + Math.max(limitWaitMs, own);
  }, state.limitWaitMs);
}

/** When this identity may try again after this attempt, whatever end of the limit the provider names. */
export function nextTryAt(state: Past, { identity, number, endedAt }: PastAttempt): number {
  const nth = 1 + series(state, identity).findIndex((one) => one.number === number);
  return nth < 2 ? endedAt : endedAt + nthDelay(LIMIT_WAITS_MS, nth - 1);
}
