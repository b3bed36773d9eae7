/** Why a run did not end well, with the most precise code that its history supports. */
import type { ErrorCode } from '../protocol/error-codes.ts';
import { attemptCode } from '../protocol/error-codes.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import { adviceFor } from '../reports/advice.ts';
import type { AttemptHistory } from '../reports/attempt-history.ts';
import type { RunHistory } from '../reports/run-history.ts';
import type { ErrorFields } from './error-document.ts';
import { simpleError } from './error-document.ts';

/** Null: the run ended well, or has not ended. */
export function runError(history: RunHistory, applied: AppliedView | null): ErrorFields | null {
  const code = runErrorCode(history);
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
      // Before the first attempt, only a setup that failed blocks a run otherwise.
      return commonCause(attempts.slice(-1)) ?? (hasAttempts ? 'run.blocked' : 'setup.failed');
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

/** Undefined: there is no attempt, or they ended for several reasons. */
function commonCause(attempts: readonly AttemptHistory[]): ErrorCode | undefined {
  const [first, ...others] = new Set(attempts.map(causeOf));
  return others.length === 0 ? first : undefined;
}

function causeOf({ gates, failure }: AttemptHistory): ErrorCode | undefined {
  const red = gates.find(({ kind, warns }) => kind !== 'passed' && !warns);
  if (red !== undefined) return red.kind === 'unable' ? 'gate.unable' : 'gate.failed';
  if (failure === null) return undefined;
  return failure.refusal ?? attemptCode(failure.reason);
}
