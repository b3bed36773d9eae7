/**
 * Classifies the end of an attempt: one pure function over all evidence, the strongest first. The
 * order is: a user's stop, a failure of the gateway, the check of work that is reported as done,
 * and the causes of `find-cause.ts`. What an agent did and wrote during its work is not evidence.
 */
import type { AgentError } from '../adapters/agent-event.ts';
import { describeExit, isZero } from '../adapters/conclude.ts';
import { defined } from '../base/defined.ts';
import { truncate } from '../base/text.ts';
import type {
  AttemptOutcome,
  ClassifiedFailure,
  EvidenceLine,
} from '../protocol/contracts/attempt-contract.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import { attemptFacts } from './attempt-facts.ts';
import { checkDone } from './check-done.ts';
import type { AttemptEvidence } from './evidence.ts';
import { failureClass } from './failure.ts';
import { findCause, pastDeadline } from './find-cause.ts';
import type { FailureCause } from './failure-cause.ts';
import { findResetTime } from './reset-time.ts';

const LINE_CHARS_MAX = 300;
const UNEXPLAINED: ReadonlySet<FailureReason> = new Set(['crashed', 'unknown']);

export function classifyAttempt(evidence: AttemptEvidence): AttemptOutcome {
  const { stoppedBy, verdict } = evidence;
  if (stoppedBy === 'user') return { kind: 'stopped' };
  const found =
    fromGateway(evidence) ?? (verdict.kind === 'done' ? checkDone(evidence) : findCause(evidence));
  const facts = attemptFacts(evidence);
  if (found === undefined && verdict.kind === 'done')
    return { kind: 'completed', summary: verdict.summary, ...facts };
  const explained = blameFolder(found ?? withoutRule(evidence), evidence);
  const failure = toFailure(proveLimit(explained, evidence), evidence);
  const { reason, message } = failure;
  return { kind: 'failed', reason, message, failure, ...facts };
}

/** After its gateway has failed, an agent works without a model, so nothing else counts. */
function fromGateway({ gatewayFailure }: AttemptEvidence): FailureCause | undefined {
  if (gatewayFailure === null) return undefined;
  const line = `the gateway of this attempt failed: ${gatewayFailure}`;
  return { reason: 'gateway_failed', source: 'gateway', line, rule: 'gateway-process' };
}

function withoutRule({ exit, verdict }: AttemptEvidence): FailureCause {
  const line = verdict.kind === 'failed' ? verdict.message : describeExit(exit);
  const reason = isZero(exit) ? 'unknown' : 'crashed';
  return { reason, source: 'exit', line, rule: 'no-rule' };
}

/**
 * A message about a denied permission may concern any file. If the agent can't write to the working
 * folder, that folder is the cause of an end without a better explanation. No other agent could do
 * the work there either.
 */
function blameFolder(found: FailureCause, { isReadOnly }: AttemptEvidence): FailureCause {
  const isVague = UNEXPLAINED.has(found.reason) || found.rule.endsWith('/denied-line');
  if (isReadOnly !== true || !isVague || found.bySignal === true) return found;
  const line = `the working folder can not be written to: ${found.line}`;
  return { reason: 'workspace_denied', source: found.source, line, rule: 'tree-closed' };
}

/**
 * A limit makes its identity cool down in every run, so text alone is not enough. If the gateway
 * sees every call, the provider itself must have reported it, for the model that does the work. An
 * unproven one only lets this run wait and try again.
 */
function proveLimit(
  found: FailureCause,
  { calls, seesEveryCall, rules }: AttemptEvidence,
): FailureCause {
  if (!failureClass(found.reason).coolsDown || !seesEveryCall) return found;
  const isByUser = rules.some(({ id }) => id === found.rule);
  const limits = calls.filter(({ isLimit }) => isLimit);
  const isProven =
    found.source === 'gateway'
      ? limits.some(({ error }) => error === found.error)
      : limits.length > 0;
  if (isByUser || isProven) return found;
  return { ...found, isUnproven: true, rule: 'limit-unproven' };
}

function toFailure(found: FailureCause, evidence: AttemptEvidence): ClassifiedFailure {
  const { reason, source, line, rule, error, model } = found;
  const { bySignal = false, isUnproven = false } = found;
  const kind = failureClass(reason, { bySignal, isUnproven });
  const mayReset = kind.coolsDown || isUnproven || reason === 'overloaded';
  const lines = [evidenceLine(source, line, rule)];
  if (evidence.stoppedBy === 'deadline' && source !== 'deadline')
    lines.push(evidenceLine('deadline', pastDeadline(evidence), 'deadline'));
  return {
    ...kind,
    reason,
    message: truncate(line, LINE_CHARS_MAX),
    resetAt: mayReset && error !== undefined ? resetTime(error, evidence) : null,
    evidence: lines,
    ...defined({ model }),
  };
}

function resetTime(error: AgentError, { now, zone, transcript }: AttemptEvidence): number | null {
  if (error.resetAt !== null) return error.resetAt;
  const at = error.at ?? now;
  if (error.retryAfterMs !== null) return at + error.retryAfterMs;
  return findResetTime(error.message, at, zone) ?? transcript.limitResetAt;
}

function evidenceLine(source: EvidenceLine['source'], line: string, rule: string): EvidenceLine {
  return { source, line: truncate(line, LINE_CHARS_MAX), rule };
}
