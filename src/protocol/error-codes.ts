/**
 * The closed list of what `error.code` can be. A refusal says why a command was refused. Every other code says why a
 * run, or a check, did not end as it was wanted.
 */
import type { RefusalCode } from '../base/errors.ts';
import { REFUSAL_CODES } from '../base/errors.ts';
import type { FailureReason } from './failure-reason.ts';
import { FAILURE_REASONS } from './failure-reason.ts';

/** How a run ended. A run has one of these codes only if no other code is more precise. */
const RUN_CODES = [
  'run.blocked',
  'run.cancelled',
  'run.exhausted',
  'run.failed',
  'run.killed',
  'run.refused',
  'run.unproven', // it ended well, and --require-gate needs a gate
] as const;

/** What a run or a check has found. */
const FINDING_CODES = [
  'agent.differs', // a CLI does not behave as Supervisor expects
  'apply.gate-files-changed',
  'apply.gate-unprotected',
  'apply.run-failed',
  'apply.unverified',
  'approval.missing', // a step of a workflow needs one, and the run may not ask
  'command.interrupted', // Ctrl-C, or a question that was answered with no
  'gate.failed',
  'gate.unable',
  'internal.defect',
  'machine.not-ready',
  'owner.gave-up',
  'plan.missing',
  'price.unknown',
  'sandbox.not-proven', // a probe found a difference, or no sandbox could be tested
  'setup.failed',
  'wait.asked', // a run asks, and the wait was only until then
  'wait.timeout', // the runs have not ended in time
  'workspace.not-deleted',
] as const;

/** Every attempt of the run failed for this reason. */
type AttemptCode = `attempt.${Kebab<FailureReason>}`;
type Kebab<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}-${Kebab<Rest>}`
  : Text;

/** The codes besides those of refusals and attempts. */
const RESULT_CODES = [...RUN_CODES, ...FINDING_CODES] as const;
export type ResultCode = (typeof RESULT_CODES)[number];

export type ErrorCode = RefusalCode | ResultCode | AttemptCode;

export const ERROR_CODES: readonly ErrorCode[] = [
  ...REFUSAL_CODES,
  ...RESULT_CODES,
  ...FAILURE_REASONS.map(attemptCode),
];

export function attemptCode(reason: FailureReason): AttemptCode {
  return `attempt.${reason.replaceAll('_', '-') as Kebab<FailureReason>}`;
}
