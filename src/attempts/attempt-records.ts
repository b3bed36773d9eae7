/** The history of a run that the attempt loop decides by: how each attempt ended and which files it changed. */
import type { FailureReason } from '../protocol/failure-reason.ts';
import type { RecoveryPolicy } from './presets.ts';
import { nthDelay } from './presets.ts';
import { failureClass, isAboutMoney } from '../failures/failure.ts';
import type { AttemptOutcome, FailureClass } from '../protocol/attempt-contract.ts';
import type { Availability } from '../protocol/commands.ts';

export type FailedEnd = FailureClass & {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  readonly message: string;
  readonly resetAt: number | null;
  readonly exit: number | null;
};

export type PastEnd =
  | { readonly kind: 'completed'; readonly summary: string }
  | FailedEnd
  | { readonly kind: 'stopped' };

/** A gate that was not green, with the end of its output. */
export type RedGate = {
  readonly name: string;
  readonly kind: 'failed' | 'unable';
  readonly words: string;
  /** The run ends as blocked: no agent tries again. */
  readonly blocks?: true;
};

export type AttemptRecord = {
  readonly number: number;
  readonly agent: string;
  readonly identity: string;
  /** Whether the attempt continued an earlier conversation. */
  readonly resumed: boolean;
  /** The prompt that it got in that conversation. Older releases did not store it. */
  readonly said?: string | null;
  readonly session: string | null;
  /** How many files the attempt changed, and some of their names. Null: its work was not stored. */
  readonly files: number | null;
  readonly names: readonly string[];
};

export type PastAttempt = AttemptRecord & {
  readonly endedAt: number;
  readonly end: PastEnd;
  /** Whether its limit is in the cooldown store, which all runs read. Null: not written yet. */
  readonly cooled: boolean | null;
  readonly red: RedGate | null;
};

export type ChainEntry = { readonly id: string; readonly identity: string };

export type History = {
  readonly chain: readonly ChainEntry[];
  readonly past: readonly PastAttempt[];
  readonly begun: number;
  readonly lost: number;
  readonly lostMax: number;
  /** The last attempt, if it was interrupted because the owner process died. */
  readonly lostAttempt: AttemptRecord | null;
  /** Identities that the user skipped with `next`. */
  readonly passed: readonly string[];
  /** The answer of a person to the last question. */
  readonly answer: string | null;
  /** Since when the run has waited for limits. Null: it does not wait. */
  readonly restingSince: number | null;
  /** The user has ended the wait for a limit with `retry-now`. */
  readonly bypass: boolean;
  /** How many gates are declared, how many of them can fail a run, and how many were green for the last attempt. */
  readonly gates: number;
  readonly proofs: number;
  readonly green: number;
  readonly once: boolean;
  readonly ignoreCooldown: boolean;
};

const MESSAGE_MAX = 1000;

export function toPastEnd(outcome: AttemptOutcome): PastEnd {
  switch (outcome.kind) {
    case 'completed':
      return { kind: 'completed', summary: outcome.summary.slice(0, MESSAGE_MAX * 2) };
    case 'stopped':
      return { kind: 'stopped' };
    case 'failed': {
      const { reason, message, failure } = outcome;
      const { type, category, recovery, concerns, coolsDown } = failure ?? failureClass(reason);
      return {
        kind: 'failed',
        ...{ type, category, recovery, concerns, coolsDown, reason },
        message: message.slice(0, MESSAGE_MAX),
        resetAt: failure?.resetAt ?? null,
        exit: outcome.exit ?? null,
      };
    }
  }
}

/** The failures of an identity that use up its retries. */
export function failuresOfAgent({ past }: History, identity: string): readonly FailedEnd[] {
  return past.flatMap((one) =>
    one.identity === identity && one.end.kind === 'failed' && counts(one.end) ? [one.end] : [],
  );
}

/** Questions, budgets, answers that are too long and crashes have their own counts. */
function counts({ reason, type }: FailedEnd): boolean {
  const isApart = reason === 'needs_input' || reason === 'output_limit' || isAboutMoney(reason);
  return !isApart && type !== 'container_crash';
}

/** Without an identity, it counts the crashes of the whole run. */
export function crashesOfAgent({ past }: History, identity?: string): number {
  return past.filter(
    (one) =>
      one.end.kind === 'failed' &&
      one.end.type === 'container_crash' &&
      (identity === undefined || one.identity === identity),
  ).length;
}

/** When the cooldown of an identity ends: at the reset that the provider names, else after our own wait. */
export function coolingUntil(
  { end, endedAt }: PastAttempt,
  policy: RecoveryPolicy,
  nthLimit: number,
): number {
  if (end.kind !== 'failed' || !end.coolsDown) return 0;
  if (end.resetAt !== null) return end.resetAt;
  const isRetried = nthLimit <= Math.min(policy.retriesPerAgent, policy.limitWaitsMs.length);
  return endedAt + (isRetried ? nthDelay(policy.limitWaitsMs, nthLimit) : policy.cooldownMs);
}

/** How many limits this identity has run into in this run. */
export function limitsHit({ past }: Pick<History, 'past'>, identity: string): number {
  return past.filter(
    (one) => one.identity === identity && one.end.kind === 'failed' && one.end.coolsDown,
  ).length;
}

export type CooldownRest = {
  readonly until: number;
  /** Whether the provider or an earlier run named the end of the cooldown. */
  readonly isKnown: boolean;
  readonly reason: string;
};

/** The cooldown that keeps an agent from starting now. Undefined: it can start. */
export function cooldownOf(
  history: History,
  { identity }: ChainEntry,
  policy: RecoveryPolicy,
  survey: Availability,
  now: number,
): CooldownRest | undefined {
  const { past, ignoreCooldown } = history;
  const own = past.findLast((one) => one.identity === identity);
  const limit = own?.end.kind === 'failed' && own.end.coolsDown ? own.end : undefined;
  const entry = survey.cooling.find((one) => one.identity === identity);
  const cooldowns: CooldownRest[] = [];
  if (entry !== undefined && !ignoreCooldown)
    cooldowns.push({
      until: Date.parse(entry.until),
      isKnown: limit === undefined || limit.resetAt !== null,
      reason: entry.reason,
    });
  // A limit that this run hit counts too, unless it was in the cooldown store and a user has cleared it there.
  if (own !== undefined && limit !== undefined && (own.cooled !== true || ignoreCooldown))
    cooldowns.push({
      until: coolingUntil(own, policy, limitsHit(history, identity)),
      isKnown: limit.resetAt !== null,
      reason: limit.message,
    });
  return cooldowns.filter(({ until }) => until > now).toSorted((a, b) => b.until - a.until)[0];
}

/** Whether this run no longer uses an identity. After a limit it may try again, after any other end it may not. */
export function isFinishedWith({ past, passed }: History, { identity }: ChainEntry): boolean {
  if (passed.includes(identity)) return true;
  const end = past.findLast((one) => one.identity === identity)?.end;
  return end !== undefined && !(end.kind === 'failed' && end.coolsDown);
}

/** The agents of the chain that can start now instead of this identity. */
export function otherAgents(
  history: History,
  identity: string,
  now: number,
): readonly ChainEntry[] {
  return history.chain.filter((entry) => {
    const end = history.past.findLast((one) => one.identity === entry.identity)?.end;
    const isLimited = end?.kind === 'failed' && (end.resetAt ?? Infinity) > now;
    return entry.identity !== identity && !isFinishedWith(history, entry) && !isLimited;
  });
}
