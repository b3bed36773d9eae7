/** Which failures a restart may fix, and which need a person. */
import type { FailureReason } from '../protocol/failure-reason.ts';

export type RestartWorth = 'restart' | 'ask';

/** A new life may have another network, session or moment, but never another login. */
const WORTH = {
  rate_limited: 'restart',
  quota_exhausted: 'restart',
  overloaded: 'restart',
  network: 'restart',
  auth: 'ask',
  model_not_found: 'ask',
  agent_missing: 'ask',
  bad_usage: 'ask',
  bad_prompt: 'ask',
  start_refused: 'ask',
  keys_missing: 'ask',
  context_overflow: 'restart',
  output_limit: 'restart',
  content_filtered: 'ask',
  disk_full: 'ask',
  workspace_denied: 'ask',
  oom: 'restart',
  killed: 'restart',
  crashed: 'restart',
  interrupted: 'restart',
  gateway_failed: 'restart',
  unknown: 'restart',
  invalid_output: 'restart',
  empty_answer: 'restart',
  needs_input: 'ask',
  deadline: 'restart',
  blocked: 'ask',
  budget: 'ask',
  price_unknown: 'ask',
} as const satisfies Record<FailureReason, RestartWorth>;

export function restartWorth(reason: FailureReason): RestartWorth {
  return WORTH[reason];
}

/** Failed tests get two more tries; the third time a person is asked. */
const TEST_FAILURES_MAX = 3;

/** `failures` in a row, this one included. */
export function restartWorthOfFailedTests(failures: number): RestartWorth {
  return failures < TEST_FAILURES_MAX ? 'restart' : 'ask';
}
