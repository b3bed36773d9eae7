/** Why a run did not end well, with the most precise code that its history supports. */
import type { ErrorCode } from '../protocol/error-codes.ts';
import { attemptCode } from '../protocol/error-codes.ts';
import { WORKFLOW_PROGRAM } from '../protocol/run-submission.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import { adviceFor } from '../reports/advice.ts';
import type { AttemptHistory } from '../reports/runs/attempt-history.ts';
import type { GateRecord } from '../reports/runs/gate-record.ts';
import type { RunHistory } from '../reports/runs/run-history.ts';
import type { ErrorFields } from './error-document.ts';
import { simpleError } from './error-document.ts';

/** Null: the run ended well, or has not ended. `stepRuns`: the runs of the steps of a workflow. */
export function runError(
  history: RunHistory,
  applied: AppliedView | null,
  stepRuns: readonly RunHistory[] = [],
): ErrorFields | null {
  const code =
    history.program === WORKFLOW_PROGRAM
      ? workflowErrorCode(history, stepRuns)
      : runErrorCode(history);
  if (code === null) return null;
  return simpleError(code, history.outcome?.reason ?? '', adviceFor(history, applied));
}

/** For a run that ended well, if the command needed a gate that verified it. */
export function unprovenError(run: string): ErrorFields {
  return simpleError(
    'run.unproven',
    'No gate has verified the work, and --require-gate needs one.',
    `Declare a gate with --gate, or review the work with: supervisor diff ${run}`,
  );
}

function runErrorCode(history: RunHistory): ErrorCode | null {
  const { outcome, attempts, earlier, baseline } = history;
  const hasAttempts = attempts.length + earlier.attempts > 0;
  switch (outcome?.kind) {
    case undefined:
    case 'succeeded':
    case 'unverified':
      return null;
    case 'cancelled':
    case 'killed':
      return `run.${outcome.kind}`;
    case 'blocked':
      if (history.lacksKey) return 'agent.keys-missing';
      if (!hasAttempts && history.setup?.failed === true) return 'setup.failed';
      return commonCause(attempts.slice(-1)) ?? 'run.blocked';
    case 'refused':
      if (!hasAttempts && baseline.some((one) => one.outcome?.kind === 'unable'))
        return 'gate.unable';
      return commonCause(attempts) ?? 'run.refused';
    case 'failed':
      return commonCause(attempts.slice(-1)) ?? 'run.failed';
    case 'exhausted':
      return commonCause(attempts) ?? 'run.exhausted';
  }
}

/** What happened last decides: a gate of the workflow, or the run of a step. */
function workflowErrorCode(history: RunHistory, stepRuns: readonly RunHistory[]): ErrorCode | null {
  const general = runErrorCode(history);
  const { outcome, steps, children } = history;
  if (general === null || outcome?.kind === 'cancelled' || outcome?.kind === 'killed')
    return general;
  if (outcome?.needs === 'approval') return 'approval.missing';
  const last = children.findLast(({ endedAt }) => endedAt !== null);
  const red = steps.gates.findLast(isRed);
  if (red !== undefined && red.at >= (last?.endedAt ?? 0)) return gateCode(red);
  const run = stepRuns.find(({ id }) => id === last?.run);
  const code = run === undefined ? null : runErrorCode(run);
  // How the run of a step ended says less than how the workflow ended.
  return code === null || code.startsWith('run.') ? general : code;
}

/** Undefined: there is no attempt, or they ended for several reasons. */
function commonCause(attempts: readonly AttemptHistory[]): ErrorCode | undefined {
  const [first, ...others] = new Set(attempts.map(causeOf));
  return others.length === 0 ? first : undefined;
}

function causeOf({ gates, failure }: AttemptHistory): ErrorCode | undefined {
  const red = gates.find(isRed);
  if (red !== undefined) return gateCode(red);
  if (failure === null) return undefined;
  return failure.refusal ?? attemptCode(failure.reason);
}

function isRed({ kind, warns }: GateRecord): boolean {
  return kind !== 'passed' && !warns;
}

function gateCode({ kind }: GateRecord): ErrorCode {
  return kind === 'unable' ? 'gate.unable' : 'gate.failed';
}
