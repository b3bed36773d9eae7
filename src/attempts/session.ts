/** When a conversation that was to be taken up is gone or broken, and the agent is not. */
import type { FailureReason } from '../protocol/failure.ts';

const REFUSES_A_SESSION: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'bad_usage',
  'crashed',
  'unknown',
  'start_refused',
  'invalid_output',
]);

/** It never got as far as naming its conversation. */
export function isRefusedSession(
  { resumed, session }: { readonly resumed: boolean; readonly session: string | null },
  reason: FailureReason,
): boolean {
  return resumed && session === null && REFUSES_A_SESSION.has(reason);
}
