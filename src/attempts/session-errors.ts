/** Detects that a conversation can't be resumed although the agent itself works. */
import type { FailureReason } from '../protocol/failure-reason.ts';

const REFUSES_A_SESSION: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'bad_usage',
  'crashed',
  'unknown',
  'start_refused',
  'invalid_output',
]);

/**
 * The CLI refused to resume a conversation that it does not have, so the agent did not begin and this is no attempt
 * at the task. A crash counts as an attempt even before the agent names its conversation, or crashes have no bound.
 */
export function lacksConversation({
  resumed,
  session,
  failure,
}: {
  readonly resumed: boolean;
  readonly session: string | null;
  readonly failure: { readonly reason: FailureReason } | null;
}): boolean {
  return resumed && session === null && failure?.reason === 'bad_usage';
}

/**
 * The attempt failed before the agent named its conversation, or the provider refused the conversation as an
 * invalid request. The provider would refuse the next request of the same conversation too.
 */
export function isSessionRejected(
  { resumed, session }: { readonly resumed: boolean; readonly session: string | null },
  reason: FailureReason,
): boolean {
  if (!resumed) return false;
  return session === null ? REFUSES_A_SESSION.has(reason) : reason === 'bad_usage';
}
