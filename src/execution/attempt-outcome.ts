/** What is said of an attempt that is over, from all that was seen of it. */
import type { AgentAdapter } from '../adapters/adapter.ts';
import type { Transcript } from '../adapters/transcript.ts';
import type { Clock } from '../base/clock.ts';
import type { StoppedAttempt } from './attempt-end.ts';
import { classifyAttempt } from '../failures/classify-attempt.ts';
import type { AttemptEvidence, Tail } from '../failures/evidence.ts';
import { shellExitStatus } from '../failures/exit-status.ts';
import { userRules } from '../failures/rules/user-rules.ts';
import type { AttemptFacts, AttemptInput, AttemptOutcome } from '../protocol/attempt-contract.ts';

export const SESSION_CHARS_MAX = 500;

/** What was seen of it, up to its end. */
export type FollowedAttempt = StoppedAttempt & { readonly story: Transcript; readonly tail: Tail };

export function attemptOutcome(
  adapter: AgentAdapter,
  input: AttemptInput,
  { exit, container, by, story, tail }: FollowedAttempt,
  changed: boolean | null,
  {
    calls,
    seesEveryCall: watched,
    gatewayFailure,
    isReadOnly: closed = false,
  }: Pick<AttemptEvidence, 'calls' | 'seesEveryCall' | 'gatewayFailure' | 'isReadOnly'>,
  clock: Clock,
): AttemptOutcome {
  const verdict = adapter.conclude(exit, story);
  // Work that was finished before the stop could reach it is still finished work.
  const isFinished = verdict.kind === 'done' && story.concluded !== null;
  const stoppedBy = by === 'itself' || isFinished ? null : by;
  const { cli } = input.agent;
  const found = classifyAttempt({
    cli,
    exit,
    stoppedBy,
    container,
    gatewayFailure,
    calls,
    seesEveryCall: watched,
    structured: adapter.structured,
    transcript: story,
    verdict:
      stoppedBy === 'deadline'
        ? { kind: 'interrupted', message: 'ran past its deadline' }
        : verdict,
    tail,
    changed,
    isReadOnly: closed,
    now: clock.now(),
    zone: zoneHere(),
    rules: userRules(input.rules ?? [], cli),
  });
  const facts: AttemptFacts = {
    session: story.session?.slice(0, SESSION_CHARS_MAX) ?? null,
    changed,
    usage: usageOf(story),
    exit: shellExitStatus(exit),
  };
  switch (found.outcome) {
    case 'completed':
      return { kind: 'completed', summary: found.summary, ...facts };
    case 'failed': {
      const { failure } = found;
      return {
        kind: 'failed',
        reason: failure.reason,
        message: failure.message,
        failure,
        ...facts,
      };
    }
    case 'stopped':
      return { kind: 'stopped' };
  }
}

let zone: string | undefined;

/** Asking for it takes as long as the rest of an end. */
function zoneHere(): string {
  zone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

function usageOf({ usage }: Transcript): NonNullable<AttemptFacts['usage']> | null {
  if (usage === null) return null;
  const { inputTokens, outputTokens, costUsd } = usage;
  return { inputTokens, outputTokens, costUsd };
}
