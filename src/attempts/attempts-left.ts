/** How many attempts a run may still make, and when so many fail at once that it stops. */
import type { AttemptsState } from './attempts-state.ts';
import type { RecoveryPolicy } from './choice/presets.ts';
import { recoveryPolicy } from './choice/presets.ts';
import type { AttemptDecision } from './decision.ts';
import { endRun } from './decision.ts';
import { messagesOf } from './run-messages.ts';
import { lacksConversation } from './session-errors.ts';
import { takeoverOf } from './taken-over.ts';

export function policyOf({ settings }: AttemptsState): RecoveryPolicy {
  return recoveryPolicy(settings.recovery);
}

/**
 * Interrupted attempts count too. After a conversation that was not there, a new one begins, so these are bounded. Time
 * bounds the attempts that a limit ended before any work.
 */
export function hasAttemptsLeft(state: AttemptsState): boolean {
  const { counts, keylessStarts, past } = state;
  const notBegun =
    keylessStarts +
    past.filter((one) => lacksConversation(one) || one.isLimitedStart === true).length;
  // Those that only delivered a message are bounded by the number of messages, and takeovers by the person.
  const free = notBegun + messagesOf(state).attempts + takeoverOf(state).attempts;
  return counts.attempt - free < policyOf(state).attemptsMax;
}

export function attemptsUsedUp(state: AttemptsState): AttemptDecision {
  const { attemptsMax } = policyOf(state);
  const { failure = null, redGate = null } = state.past.at(-1) ?? {};
  const all = attemptsMax === 1 ? 'the only attempt is' : `all ${attemptsMax} attempts are`;
  const cause = failure === null ? '' : `; the last: ${failure.message}`;
  const red = redGate === null ? '' : `; gate ${redGate.name} is red`;
  return endRun('exhausted', `${all} used up${cause}${red}`);
}

export function isBreakerTripped(
  { past }: AttemptsState,
  { failuresMax, withinMs }: NonNullable<RecoveryPolicy['breaker']>,
  now: number,
): boolean {
  const recent = past.filter(
    (one) =>
      one.failure !== null &&
      one.isLimitedStart !== true &&
      !lacksConversation(one) &&
      now - one.endedAt < withinMs,
  );
  return recent.length >= failuresMax;
}
