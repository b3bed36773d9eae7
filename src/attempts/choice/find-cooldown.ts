/** Finds the cooldown of an agent: in the cooldown store, which all runs share, and in this run. */
import type { Availability } from '../../protocol/commands.ts';
import { lastAttemptOf, limitsHit } from './agent-history.ts';
import { nextTryAt } from './limit-series.ts';
import type { AttemptsState, ChainEntry } from '../attempts-state.ts';
import type { PastAttempt } from '../past-attempt.ts';
import { nthDelay, recoveryPolicy } from './presets.ts';

export type AgentCooldown = {
  readonly until: number;
  /** Whether the provider or an earlier run named the end of the cooldown. */
  readonly isKnown: boolean;
  readonly reason: string;
};

/** The cooldown that keeps an agent from starting now. Undefined: it can start. */
export function findCooldown(
  state: AttemptsState,
  { identity }: ChainEntry,
  availability: Availability,
  now: number,
): AgentCooldown | undefined {
  const ignoreCooldown = state.settings.ignoreCooldown === true;
  const last = lastAttemptOf(state, identity);
  const limit = last?.failure?.coolsDown === true ? last.failure : undefined;
  const entry = availability.cooling.find((one) => one.identity === identity);
  const cooldowns: AgentCooldown[] = [];
  if (entry !== undefined && !ignoreCooldown)
    cooldowns.push({
      until: Date.parse(entry.until),
      isKnown: limit === undefined || limit.resetAt !== null,
      reason: entry.reason,
    });
  // A limit that this run hit counts too, unless it was in the cooldown store and a user has cleared it there. The store
  // does not know the growing wait of this run.
  const isCleared = last?.isCooldownStored === true && !ignoreCooldown;
  if (last !== undefined && limit !== undefined)
    cooldowns.push({
      until: Math.max(isCleared ? 0 : cooldownEnd(state, last), nextTryAt(state, last)),
      isKnown: limit.resetAt !== null,
      reason: limit.message,
    });
  return cooldowns.filter(({ until }) => until > now).toSorted((a, b) => b.until - a.until)[0];
}

/**
 * When the cooldown after this attempt ends, for all runs: at the reset that the provider names, else after our own wait.
 * That this run has been refused again and again says nothing about the others.
 */
export function cooldownEnd(
  state: Pick<AttemptsState, 'settings' | 'past'>,
  { failure, endedAt, identity }: PastAttempt,
): number {
  if (failure?.coolsDown !== true) return 0;
  if (failure.resetAt !== null) return failure.resetAt;
  const { retriesPerAgent, limitWaitsMs, cooldownMs } = recoveryPolicy(state.settings.recovery);
  const nth = limitsHit(state, identity);
  const isRetried = nth <= Math.min(retriesPerAgent, limitWaitsMs.length);
  return endedAt + (isRetried ? nthDelay(limitWaitsMs, nth) : cooldownMs);
}
