/** What follows from the failure of a step, by its reason. The rows go from fatal over fixable to transient. */
import type { FailureReason } from '../protocol/failure-reason.ts';

/**
 * `escalate`: a person decides, and nothing is retried. `with-feedback`: again, and the agent reads what was wrong.
 * `same`: again after a wait. `once`: once more, then a person decides.
 */
export type RecoveryAction = 'escalate' | 'with-feedback' | 'same' | 'once';

const TABLE: Readonly<Record<FailureReason, RecoveryAction>> = {
  // Fatal: another try would end the same way, or cost money that was refused.
  auth: 'escalate',
  model_not_found: 'escalate',
  agent_missing: 'escalate',
  bad_usage: 'escalate',
  bad_prompt: 'escalate',
  start_refused: 'escalate',
  keys_missing: 'escalate',
  disk_full: 'escalate',
  workspace_denied: 'escalate',
  blocked: 'escalate',
  budget: 'escalate',
  price_unknown: 'escalate',
  // Fixable: the agent can do better if it knows why.
  invalid_output: 'with-feedback',
  empty_answer: 'with-feedback',
  needs_input: 'with-feedback',
  content_filtered: 'with-feedback',
  deadline: 'with-feedback',
  context_overflow: 'with-feedback',
  output_limit: 'with-feedback',
  // Transient: the same may work a little later.
  rate_limited: 'same',
  quota_exhausted: 'same',
  overloaded: 'same',
  network: 'same',
  oom: 'same',
  killed: 'same',
  interrupted: 'same',
  gateway_failed: 'same',
  // Unknown.
  crashed: 'once',
  unknown: 'once',
};

export function recoveryAction(reason: FailureReason): RecoveryAction {
  return TABLE[reason];
}
