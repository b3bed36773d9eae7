/**
 * Finds the cause of an end that the agent did not report as done. The order is: the sandbox's
 * report, the gateway's calls, the CLI's structured messages, the deadline, the exit, and last
 * lines in the shape of an error.
 */
import { agentError } from '../adapters/agent-event.ts';
import { describeExit } from '../adapters/conclude.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import { PAST_DEADLINE } from '../protocol/outcome.ts';
import type { AttemptEvidence } from './evidence.ts';
import { SIGNAL_OF_EXIT } from './exit-status.ts';
import type { FailureCause } from './failure-cause.ts';
import { fromBudget, fromError, rulesFor } from './failure-cause.ts';
import { errorLine, isStackLine } from './rules/error-lines.ts';
import type { FailureRule } from './rules/rule.ts';
import { ruleForExit, ruleForLine } from './rules/rule.ts';

/** An agent without structured messages prints its own text to stdout: only its last lines can be the CLI's. */
const LINES_MAX = { stdout: 3, stderr: 50 } as const;
const CRASH_SIGNALS = new Set([
  'SIGSEGV',
  'SIGABRT',
  'SIGBUS',
  'SIGILL',
  'SIGFPE',
  'SIGTRAP',
  'SIGSYS',
]);
/** The message of a runtime before it aborts itself. */
const OUT_OF_MEMORY =
  /^(?:FATAL ERROR: .{0,80}heap out of memory|fatal error: out of memory|memory allocation of \d+ bytes failed)/i;
/** Failures of a model call. If one of them is known, it is the cause, and not the deadline. */
const CALL_FAILURES: ReadonlySet<FailureReason> = new Set([
  'rate_limited',
  'quota_exhausted',
  'overloaded',
  'network',
  'auth',
  'model_not_found',
  'context_overflow',
  'output_limit',
  'content_filtered',
  'invalid_output',
]);

export function findCause(evidence: AttemptEvidence): FailureCause | undefined {
  const { stoppedBy, verdict } = evidence;
  if (stoppedBy === 'time-budget') {
    const line = verdict.kind === 'interrupted' ? verdict.message : 'The time budget is spent';
    return { reason: 'budget', source: 'deadline', line, rule: 'time-budget' };
  }
  const rules = rulesFor(evidence);
  const found =
    fromContainer(evidence) ?? fromCalls(evidence, rules) ?? fromVerdict(evidence, rules);
  const isOfCall = found !== undefined && CALL_FAILURES.has(found.reason);
  if (stoppedBy === 'deadline' && !isOfCall)
    return {
      reason: 'deadline',
      source: 'deadline',
      line: pastDeadline(evidence),
      rule: 'deadline',
    };
  return (
    found ?? fromExit(evidence) ?? fromLastLines(evidence, rules) ?? fromExitCode(evidence, rules)
  );
}

/** The stored verdict of such an attempt says which deadline that was. */
export function pastDeadline({ verdict }: Pick<AttemptEvidence, 'verdict'>): string {
  return verdict.kind === 'interrupted' && verdict.message.startsWith(PAST_DEADLINE)
    ? verdict.message
    : PAST_DEADLINE;
}

function fromContainer({ container, verdict }: AttemptEvidence): FailureCause | undefined {
  if (container === null) return undefined;
  const { oomKilled, lost, startError, overLimit } = container;
  if (startError !== null) {
    const isMissing = /not found|no such file/i.test(startError);
    const reason = isMissing ? 'agent_missing' : 'start_refused';
    return { reason, source: 'container', line: startError, rule: 'container-start' };
  }
  if (oomKilled)
    return { reason: 'oom', source: 'container', line: 'out of memory', rule: 'container-oom' };
  if (overLimit !== undefined) {
    const line =
      overLimit === 'disk'
        ? 'it was ended: it has written more to the disk than it may'
        : 'it was ended: the disk of this machine is nearly full';
    return { reason: 'killed', source: 'container', line, rule: `container-${overLimit}-limit` };
  }
  if (lost)
    return {
      reason: 'interrupted',
      source: 'container',
      line: verdict.kind,
      rule: 'container-lost',
    };
  return undefined;
}

/**
 * Side calls may fail without harm, but a call that no budget pays for ends the attempt, whatever
 * it was for.
 */
function fromCalls(
  { calls }: AttemptEvidence,
  rules: readonly FailureRule[],
): FailureCause | undefined {
  const unpaid = fromBudget(calls);
  if (unpaid !== undefined) return unpaid;
  const last = calls.findLast(({ kind }) => kind === 'main' || kind === 'sub');
  return last?.error ? fromError(last.error, 'gateway', rules) : undefined;
}

function fromVerdict(
  { verdict }: AttemptEvidence,
  rules: readonly FailureRule[],
): FailureCause | undefined {
  switch (verdict.kind) {
    case 'failed':
    case 'cut-off':
      return fromError(verdict.error, 'event', rules);
    case 'interrupted':
      return { reason: 'killed', source: 'event', line: verdict.message, rule: 'interrupted' };
    case 'done':
    case 'died':
      return undefined;
  }
}

function fromExit({
  exit,
  transcript,
  structured,
  tail,
}: AttemptEvidence): FailureCause | undefined {
  const line = describeExit(exit);
  if (exit.kind === 'not-started') {
    const reason = exit.code === 'ENOENT' ? 'agent_missing' : 'start_refused';
    return { reason, source: 'exit', line, rule: `spawn-${exit.code}` };
  }
  const signal = exit.kind === 'signal' ? exit.signal : SIGNAL_OF_EXIT[exit.code];
  if (signal !== undefined) {
    const memoryLine = tail?.stderr.findLast((one) => OUT_OF_MEMORY.test(one));
    if (memoryLine !== undefined)
      return { reason: 'oom', source: 'stderr', line: memoryLine, rule: 'out-of-memory' };
    const reason = CRASH_SIGNALS.has(signal) ? 'crashed' : 'killed';
    return { reason, source: 'exit', line, rule: `signal-${signal}`, bySignal: true };
  }
  if (exit.kind === 'code' && transcript.events === 0) {
    if (exit.code === 127)
      return { reason: 'agent_missing', source: 'exit', line, rule: 'exit-127' };
    if (exit.code === 126)
      return { reason: 'start_refused', source: 'exit', line, rule: 'exit-126' };
    const isSilent = tail !== null && tail.stdout.length === 0 && tail.stderr.length === 0;
    // These CLIs announce themselves first, so a silent one ended before that.
    if (structured && isSilent && exit.code !== 0)
      return { reason: 'bad_usage', source: 'exit', line, rule: 'ended-before-a-word' };
  }
  return undefined;
}

/** Reads the last lines backwards: the cause of the end follows the errors that the agent survived. */
function fromLastLines(
  { tail }: AttemptEvidence,
  rules: readonly FailureRule[],
): FailureCause | undefined {
  for (const source of ['stderr', 'stdout'] as const) {
    const lines = (tail?.[source] ?? []).filter((line) => !isStackLine(line));
    for (const line of lines.slice(-LINES_MAX[source]).toReversed()) {
      const shaped = errorLine(line);
      if (shaped === undefined) continue;
      const rule = ruleForLine(rules, shaped);
      if (rule === undefined) continue;
      const error = agentError(shaped.line, { status: shaped.status });
      return { reason: rule.reason, source, line: shaped.line, rule: rule.id, error };
    }
  }
  return undefined;
}

function fromExitCode(
  { exit }: AttemptEvidence,
  rules: readonly FailureRule[],
): FailureCause | undefined {
  const rule = exit.kind === 'code' ? ruleForExit(rules, exit.code) : undefined;
  if (rule === undefined) return undefined;
  return { reason: rule.reason, source: 'exit', line: describeExit(exit), rule: rule.id };
}
