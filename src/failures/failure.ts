/** Why an attempt failed, and the consequences for the next decision. */

import type {
  ClassifiedFailure,
  FailedAttempt,
  FailureClass,
} from '../protocol/contracts/attempt-contract.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';

type Row = readonly [
  FailureClass['type'],
  FailureClass['category'],
  FailureClass['recovery'],
  FailureClass['concerns'],
];

const TABLE: Readonly<Record<FailureReason, Row>> = {
  rate_limited: ['rate_limit', 'cli_error', 'transient', 'identity'],
  quota_exhausted: ['rate_limit', 'resource', 'transient', 'identity'],
  overloaded: ['retryable', 'cli_error', 'transient', 'attempt'],
  network: ['retryable', 'network', 'transient', 'attempt'],
  auth: ['fatal', 'cli_error', 'terminal', 'identity'],
  model_not_found: ['fatal', 'cli_error', 'terminal', 'identity'],
  agent_missing: ['agent_failure', 'cli_error', 'terminal', 'identity'],
  bad_usage: ['agent_failure', 'cli_error', 'terminal', 'identity'],
  bad_prompt: ['fatal', 'validation', 'terminal', 'run'],
  start_refused: ['agent_failure', 'cli_error', 'terminal', 'identity'],
  keys_missing: ['fatal', 'cli_error', 'persistent', 'identity'],
  context_overflow: ['retryable', 'resource', 'persistent', 'attempt'],
  output_limit: ['retryable', 'resource', 'persistent', 'attempt'],
  content_filtered: ['agent_failure', 'validation', 'persistent', 'identity'],
  disk_full: ['retryable', 'resource', 'persistent', 'attempt'],
  workspace_denied: ['fatal', 'resource', 'terminal', 'run'],
  oom: ['container_crash', 'resource', 'transient', 'attempt'],
  killed: ['container_crash', 'cli_error', 'transient', 'attempt'],
  interrupted: ['container_crash', 'cli_error', 'transient', 'attempt'],
  gateway_failed: ['container_crash', 'resource', 'transient', 'attempt'],
  crashed: ['retryable', 'logic', 'unknown', 'attempt'],
  unknown: ['retryable', 'logic', 'unknown', 'attempt'],
  invalid_output: ['retryable', 'parsing', 'persistent', 'attempt'],
  empty_answer: ['retryable', 'logic', 'persistent', 'attempt'],
  needs_input: ['retryable', 'logic', 'persistent', 'attempt'],
  deadline: ['retryable', 'logic', 'persistent', 'attempt'],
  blocked: ['fatal', 'logic', 'terminal', 'run'],
  budget: ['fatal', 'resource', 'terminal', 'run'],
  price_unknown: ['fatal', 'resource', 'terminal', 'run'],
};

/** A person is asked, and no other agent gets the work: it would have no budget either. */
export function isAboutMoney(reason: FailureReason): boolean {
  return reason === 'budget' || reason === 'price_unknown';
}

const BY_SIGNAL: Row = ['container_crash', 'cli_error', 'transient', 'attempt'];
const UNPROVEN: Row = ['retryable', 'cli_error', 'transient', 'attempt'];

/**
 * A crash by a signal is the machine's fault, one by an exit code the program's. A limit that is not proven concerns
 * this attempt alone.
 */
export function failureClass(
  reason: FailureReason,
  {
    bySignal = false,
    isUnproven = false,
  }: { readonly bySignal?: boolean; readonly isUnproven?: boolean } = {},
): FailureClass {
  const row = reason === 'crashed' && bySignal ? BY_SIGNAL : TABLE[reason];
  const [type, category, recovery, concerns] = isUnproven ? UNPROVEN : row;
  return { type, category, recovery, concerns, coolsDown: type === 'rate_limit' };
}

/** Why an attempt failed. An attempt that never started was not classified, so its reason alone decides. */
export function failureOf({ reason, message, failure }: FailedAttempt): ClassifiedFailure {
  return { resetAt: null, evidence: [], ...(failure ?? failureClass(reason)), reason, message };
}
