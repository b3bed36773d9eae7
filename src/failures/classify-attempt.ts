/**
 * Classifies the end of an attempt: one pure function over all evidence, the strongest first. The
 * order is: a user's stop, the sandbox's report, the gateway's facts, the CLI's structured
 * messages, the exit, and last lines in the shape of an error. What an agent did and wrote during
 * its work is not evidence.
 */
import { truncate } from '../base/text.ts';
import type { AgentError } from '../adapters/agent-event.ts';
import { agentError } from '../adapters/agent-event.ts';
import { describeExit, isZero } from '../adapters/conclude.ts';
import type { AttemptEvidence, ModelCall } from './evidence.ts';
import type { ClassifiedFailure, EvidenceLine } from '../protocol/attempt-contract.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import { SIGNAL_OF_EXIT } from './exit-status.ts';
import { failureClass } from './failure.ts';
import { findResetTime } from './reset-time.ts';
import { CLI_RULES } from './rules/cli-rules.ts';
import { errorLine, isStackLine } from './rules/error-lines.ts';
import { PROVIDER_RULES } from './rules/provider-rules.ts';
import type { FailureRule } from './rules/rule.ts';
import { ruleForError, ruleForExit, ruleForLine, RULES_VERSION, rulesFrom } from './rules/rule.ts';

export type Classification =
  | {
      readonly outcome: 'completed';
      readonly summary: string;
      readonly evidence: readonly EvidenceLine[];
    }
  | { readonly outcome: 'failed'; readonly failure: ClassifiedFailure }
  | { readonly outcome: 'stopped'; readonly evidence: readonly EvidenceLine[] };

const LINE_CHARS_MAX = 300;
/** A plain-text agent writes its own words to stdout: only the very last can be the CLI's. */
const LINES = { stdout: 3, stderr: 50 } as const;
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
/** Failures of a call, which a deadline only happened to end. */
const OF_A_CALL: ReadonlySet<FailureReason> = new Set([
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

const UNEXPLAINED: ReadonlySet<FailureReason> = new Set(['crashed', 'unknown']);

const BUILT_IN = rulesFrom(`provider@${RULES_VERSION}`, PROVIDER_RULES);
const OF_CLI = new Map(
  Object.entries(CLI_RULES).map(([cli, data]) => [cli, rulesFrom(`${cli}@${RULES_VERSION}`, data)]),
);

type Finding = {
  readonly reason: FailureReason;
  readonly source: EvidenceLine['source'];
  readonly line: string;
  readonly rule: string;
  readonly error?: AgentError;
  readonly bySignal?: boolean;
};

export function classifyAttempt(evidence: AttemptEvidence): Classification {
  if (evidence.stoppedBy === 'user')
    return {
      outcome: 'stopped',
      evidence: [{ source: 'user', line: 'stopped by the user', rule: 'user-stop' }],
    };
  const isDone = evidence.verdict.kind === 'done';
  const found =
    ofGateway(evidence) ?? (isDone ? (unproven(evidence) ?? doubtful(evidence)) : cause(evidence));
  if (found === undefined && evidence.verdict.kind === 'done')
    return {
      outcome: 'completed',
      summary: evidence.verdict.summary,
      evidence: [lineOf('exit', describeExit(evidence.exit), 'done')],
    };
  const proven = proveLimit(ofTree(found ?? unknownEnd(evidence), evidence), evidence);
  return { outcome: 'failed', failure: failureOf(proven, evidence) };
}

/**
 * Messages about a denied permission may be about anything. If the working folder itself is closed
 * to the agent, an end without a better reason comes from that, and no other agent could do the
 * work there.
 */
function ofTree(found: Finding, { isReadOnly: closed }: AttemptEvidence): Finding {
  const isOpen = UNEXPLAINED.has(found.reason) || found.rule.endsWith('/denied-line');
  if (closed !== true || !isOpen || found.bySignal === true) return found;
  const line = `the working folder can not be written to: ${found.line}`;
  return { reason: 'workspace_denied', source: found.source, line, rule: 'tree-closed' };
}

/**
 * A limit makes its identity cool down in every run, so text alone is not enough. If the gateway
 * sees every call, the provider itself must have reported it, for the model that does the work.
 */
function proveLimit(found: Finding, { calls, seesEveryCall, rules }: AttemptEvidence): Finding {
  if (!failureClass(found.reason).coolsDown || !seesEveryCall) return found;
  const isByUser = rules.some(({ id }) => id === found.rule);
  const limits = calls.filter(({ isLimit }) => isLimit);
  const isProven =
    found.source === 'gateway'
      ? limits.some(({ error }) => error === found.error)
      : limits.length > 0;
  if (isByUser || isProven) return found;
  return { ...found, reason: 'unknown', rule: 'limit-unproven' };
}

/**
 * Work that is reported as done although its last model call did not end with a normal stop. A
 * program that made no model call through the gateway has nothing that could prove or disprove its
 * claim.
 */
function unproven(evidence: AttemptEvidence): Finding | undefined {
  const unpaid = ofBudget(evidence.calls);
  const last = lastOfWork(evidence.calls);
  if (last === undefined) return unpaid;
  if (last.stop === 'end' || (last.stop === 'tools' && unpaid === undefined)) return undefined;
  if (unpaid !== undefined) return unpaid;
  const known =
    last.error === null ? undefined : ofError(last.error, 'gateway', rulesFor(evidence));
  const line = 'it ended before its last model call was answered';
  return (
    known ?? {
      reason: 'unknown',
      source: 'gateway',
      line: last.error === null ? line : sayError(last.error),
      rule: 'gateway-unfinished',
    }
  );
}

/**
 * A call of the work itself; without one, a call of a subagent; of an agent that offers no tools,
 * any call.
 */
function lastOfWork(calls: readonly ModelCall[]): ModelCall | undefined {
  const lastOf = (wanted: ModelCall['kind']): ModelCall | undefined =>
    calls.findLast(({ kind }) => kind === wanted);
  return lastOf('main') ?? lastOf('sub') ?? lastOf('side');
}

/** Work that is reported as done, and is not. */
function doubtful(evidence: AttemptEvidence): Finding | undefined {
  const { transcript: story, verdict, changed, tail } = evidence;
  const words = verdict.kind === 'done' ? verdict.summary : '';
  const question = story.asked ?? (words.trimEnd().endsWith('?') ? words : null);
  if (question !== null && changed === false)
    return {
      reason: 'needs_input',
      source: 'event',
      line: question,
      rule: 'question-and-no-change',
    };
  const isSilent = tail !== null && words === '' && story.lastWords === '' && story.toolsUsed === 0;
  const hasText = tail?.stdout.some((line) => line.trim() !== '') === true;
  if (isSilent && !hasText && changed !== true)
    return {
      reason: 'empty_answer',
      source: 'exit',
      line: 'ended with 0, without an answer and without a change',
      rule: 'no-answer-no-change',
    };
  return undefined;
}

function rulesFor({ rules, cli }: AttemptEvidence): readonly FailureRule[] {
  return [...rules, ...(OF_CLI.get(cli) ?? []), ...BUILT_IN];
}

function cause(evidence: AttemptEvidence): Finding | undefined {
  const rules = rulesFor(evidence);
  const found = ofContainer(evidence) ?? ofCalls(evidence, rules) ?? ofWords(evidence, rules);
  if (evidence.stoppedBy === 'deadline' && (found === undefined || !OF_A_CALL.has(found.reason)))
    return {
      reason: 'deadline',
      source: 'deadline',
      line: 'ran past its deadline',
      rule: 'deadline',
    };
  return found ?? ofExit(evidence) ?? ofLines(evidence, rules) ?? ofExitCode(evidence, rules);
}

/** Everything that the agent wrote or did after that happened without a model. */
function ofGateway({ gatewayFailure }: AttemptEvidence): Finding | undefined {
  if (gatewayFailure === null) return undefined;
  const line = `the gateway of this attempt failed: ${gatewayFailure}`;
  return { reason: 'gateway_failed', source: 'gateway', line, rule: 'gateway-process' };
}

function ofContainer({ container, verdict }: AttemptEvidence): Finding | undefined {
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
    return { reason: 'lost', source: 'container', line: verdict.kind, rule: 'container-lost' };
  return undefined;
}

/**
 * Side calls may fail without harm, but a call that no budget pays ends the attempt, whatever it
 * was for.
 */
function ofCalls({ calls }: AttemptEvidence, rules: readonly FailureRule[]): Finding | undefined {
  const unpaid = ofBudget(calls);
  if (unpaid !== undefined) return unpaid;
  const last = calls.findLast(({ kind }) => kind === 'main' || kind === 'sub');
  return last?.error ? ofError(last.error, 'gateway', rules) : undefined;
}

function ofBudget(calls: readonly ModelCall[]): Finding | undefined {
  const unpaid = calls.findLast(({ overBudget }) => overBudget !== null)?.overBudget;
  if (!unpaid) return undefined;
  const reason = unpaid.because === 'spent' ? 'budget' : 'price_unknown';
  return { reason, source: 'gateway', line: unpaid.message, rule: 'gateway-budget' };
}

function ofWords({ verdict }: AttemptEvidence, rules: readonly FailureRule[]): Finding | undefined {
  switch (verdict.kind) {
    case 'failed':
    case 'cut-off':
      return ofError(verdict.error, 'event', rules);
    case 'interrupted':
      return { reason: 'killed', source: 'event', line: verdict.message, rule: 'interrupted' };
    case 'done':
    case 'died':
      return undefined;
  }
}

function ofError(
  error: AgentError,
  source: EvidenceLine['source'],
  rules: readonly FailureRule[],
): Finding | undefined {
  const rule = ruleForError(rules, error);
  if (rule === undefined) return undefined;
  return { reason: rule.reason, source, line: sayError(error), rule: rule.id, error };
}

function sayError({ status, message, code }: AgentError): string {
  return `${status === null ? '' : `HTTP ${status} `}${message || (code ?? '')}`;
}

function ofExit({
  exit,
  transcript: story,
  structured,
  tail,
}: AttemptEvidence): Finding | undefined {
  const line = describeExit(exit);
  if (exit.kind === 'not-started') {
    const reason = exit.code === 'ENOENT' ? 'agent_missing' : 'start_refused';
    return { reason, source: 'exit', line, rule: `spawn-${exit.code}` };
  }
  const signal = exit.kind === 'signal' ? exit.signal : SIGNAL_OF_EXIT[exit.code];
  if (signal !== undefined) {
    const spent = tail?.stderr.findLast((one) => OUT_OF_MEMORY.test(one));
    if (spent !== undefined)
      return { reason: 'oom', source: 'stderr', line: spent, rule: 'out-of-memory' };
    const reason = CRASH_SIGNALS.has(signal) ? 'crashed' : 'killed';
    return { reason, source: 'exit', line, rule: `signal-${signal}`, bySignal: true };
  }
  if (exit.kind === 'code' && story.events === 0) {
    if (exit.code === 127)
      return { reason: 'agent_missing', source: 'exit', line, rule: 'exit-127' };
    if (exit.code === 126)
      return { reason: 'start_refused', source: 'exit', line, rule: 'exit-126' };
    const isSilent = tail !== null && tail.stdout.length === 0 && tail.stderr.length === 0;
    // These CLIs announce themselves first: a silent one did not get that far.
    if (structured && isSilent && exit.code !== 0)
      return { reason: 'bad_usage', source: 'exit', line, rule: 'ended-before-a-word' };
  }
  return undefined;
}

/** The last lines, newest first: the cause of the end is below errors that it survived. */
function ofLines({ tail }: AttemptEvidence, rules: readonly FailureRule[]): Finding | undefined {
  for (const source of ['stderr', 'stdout'] as const) {
    const lines = (tail?.[source] ?? []).filter((line) => !isStackLine(line));
    for (const line of lines.slice(-LINES[source]).toReversed()) {
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

function ofExitCode({ exit }: AttemptEvidence, rules: readonly FailureRule[]): Finding | undefined {
  const rule = exit.kind === 'code' ? ruleForExit(rules, exit.code) : undefined;
  if (rule === undefined) return undefined;
  return { reason: rule.reason, source: 'exit', line: describeExit(exit), rule: rule.id };
}

function unknownEnd({ exit, verdict }: AttemptEvidence): Finding {
  const line = verdict.kind === 'failed' ? verdict.message : describeExit(exit);
  const reason = isZero(exit) ? 'unknown' : 'crashed';
  return { reason, source: 'exit', line, rule: 'no-rule' };
}

function failureOf(found: Finding, evidence: AttemptEvidence): ClassifiedFailure {
  const { reason, source, line, rule, error, bySignal = false } = found;
  const kind = failureClass(reason, { bySignal });
  const waits = kind.coolsDown || reason === 'overloaded';
  const lines = [lineOf(source, line, rule)];
  if (evidence.stoppedBy === 'deadline' && source !== 'deadline')
    lines.push(lineOf('deadline', 'ran past its deadline', 'deadline'));
  return {
    ...kind,
    reason,
    message: truncate(line, LINE_CHARS_MAX),
    resetAt: waits && error !== undefined ? resetOf(error, evidence) : null,
    evidence: lines,
  };
}

function resetOf(
  error: AgentError,
  { now, zone, transcript: story }: AttemptEvidence,
): number | null {
  if (error.resetAt !== null) return error.resetAt;
  const at = error.at ?? now;
  if (error.retryAfterMs !== null) return at + error.retryAfterMs;
  return findResetTime(error.message, at, zone) ?? story.limitResetAt;
}

function lineOf(source: EvidenceLine['source'], line: string, rule: string): EvidenceLine {
  return { source, line: truncate(line, LINE_CHARS_MAX), rule };
}
