/** When a conversation that was to be taken up is gone or broken, and the agent is not. */
import type { FailureReason } from '../protocol/failure-reason.ts';

const REFUSES_A_SESSION: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'bad_usage',
  'crashed',
  'unknown',
  'start_refused',
  'invalid_output',
]);

/**
 * It never got as far as naming its conversation, or what it had to send of it was refused as a request:
 * the next one of the same conversation would be, too.
 */
export function isSessionRejected(
  { resumed, session }: { readonly resumed: boolean; readonly session: string | null },
  reason: FailureReason,
): boolean {
  if (!resumed) return false;
  return session === null ? REFUSES_A_SESSION.has(reason) : reason === 'bad_usage';
}
