/** What has happened to each agent in this run, counted from the state of the attempt loop. */
import { isAboutMoney } from '../../failures/failure.ts';
import type { ClassifiedFailure } from '../../protocol/contracts/attempt-contract.ts';
import type { AttemptsState, ChainEntry } from '../attempts-state.ts';
import { chainEntries } from '../attempts-state.ts';
import { isKeyless } from './keyless.ts';
import type { PastAttempt } from '../past-attempt.ts';
import { lacksConversation } from '../session-errors.ts';

type Past = Pick<AttemptsState, 'past' | 'instructedAfter'>;

/** The attempts that count for retries: those since a person's last message, and the one that it is about. */
export function pastOfInstruction({ past, instructedAfter }: Past): readonly PastAttempt[] {
  if (instructedAfter === undefined) return past;
  return past.filter(
    ({ number }, at) => number > instructedAfter || isLastBefore(past, at, instructedAfter),
  );
}

function isLastBefore(past: readonly PastAttempt[], at: number, instructedAfter: number): boolean {
  return at === past.findLastIndex(({ number }) => number <= instructedAfter);
}

export function lastAttemptOf({ past }: Past, identity: string): PastAttempt | undefined {
  return past.findLast((one) => one.identity === identity);
}

/** How many failures of an identity match. Without an identity, those of the whole run. */
export function countFailures(
  { past }: Past,
  identity: string | null,
  matches: (failure: ClassifiedFailure) => boolean,
): number {
  return past.filter(
    (one) =>
      (identity === null || one.identity === identity) &&
      one.failure !== null &&
      !lacksConversation(one) &&
      matches(one.failure),
  ).length;
}

/** How many failures of an identity have used up a retry. */
export function retriesUsed(state: Past, identity: string): number {
  return countFailures({ past: pastOfInstruction(state) }, identity, usesRetry);
}

const OWN_COUNT: ReadonlySet<string> = new Set(['needs_input', 'output_limit', 'keys_missing']);

/** Questions, budgets, missing keys, answers that are too long and crashes have their own counts. */
function usesRetry({ reason, type }: ClassifiedFailure): boolean {
  const hasOwnCount = OWN_COUNT.has(reason) || isAboutMoney(reason);
  return !hasOwnCount && type !== 'container_crash';
}

/** Without an identity, the crashes of the whole run. */
export function crashes(state: Past, identity: string | null = null): number {
  return countFailures(state, identity, ({ type }) => type === 'container_crash');
}

/** How many limits this identity has reached in this run. */
export function limitsHit(state: Past, identity: string): number {
  return countFailures(state, identity, ({ coolsDown }) => coolsDown);
}

export function isSkipped(
  { skippedIdentities }: Pick<AttemptsState, 'skippedIdentities'>,
  identity: string,
): boolean {
  return skippedIdentities.includes(identity);
}

/** Whether this run no longer uses an identity. After a limit it may try again, after any other end it may not. */
export function isRuledOut(state: AttemptsState, { identity }: ChainEntry): boolean {
  if (isSkipped(state, identity)) return true;
  const last = lastAttemptOf(state, identity);
  return last !== undefined && last.failure?.coolsDown !== true;
}

/** The agents of the chain that can start now instead of this identity. */
export function otherAgents(
  state: AttemptsState,
  identity: string,
  now: number,
): readonly ChainEntry[] {
  return chainEntries(state).filter((entry) => {
    const failure = lastAttemptOf(state, entry.identity)?.failure ?? null;
    const isLimited = failure !== null && (failure.resetAt ?? Infinity) > now;
    const canStart = !isLimited && !isKeyless(state, entry.identity);
    return entry.identity !== identity && !isRuledOut(state, entry) && canStart;
  });
}
