/**
 * Performs one attempt: one agent, once, in its own environment. It does not decide what follows; it
 * returns how this attempt ended.
 */
import { attachAnswer } from '../attempts/attach-answer.ts';
import { readTurnNotes } from '../attempts/turn-notes.ts';
import type { Json } from '../base/json.ts';
import type { CommandContext, CommandRequest, Performer } from '../engine/performer.ts';
import type { AttemptEvidence } from '../failures/evidence.ts';
import { classifyAttempt } from '../failures/classify-attempt.ts';
import type { AttemptInput, AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import { redactValue } from '../redaction/redact-value.ts';
import type { AttemptRun } from './attempt-run.ts';
import { commitRunWork } from './commit-run-work.ts';
import type { AttemptEnvironment, CommittedTree } from './environments/environment.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { watchMessages } from './messages/watch-messages.ts';
import type { AttemptPorts, PreparedAttempt } from './prepare-attempt.ts';
import { prepareAttempt } from './prepare-attempt.ts';
import { changedPaths } from './report-activity.ts';
import { runAgent } from './run-agent.ts';
import { takeOver } from './takeover/take-over.ts';
import { timeSpentNote } from './time-budget-end.ts';
import { watchLogin, withExpiredLogin } from './watch-login.ts';

const SUMMARY_CHARS_MAX = 500;

export function attemptPerformer(ports: AttemptPorts): Performer<'attempt'> {
  return {
    command: 'attempt',
    perform: (request, context) => performAttempt(request, context, ports),
  };
}

/** The stages of an attempt, in order. An attempt that can't be prepared or started skips the rest. */
async function performAttempt(
  request: CommandRequest<'attempt'>,
  context: CommandContext<'attempt'>,
  ports: AttemptPorts,
): Promise<AttemptOutcome> {
  const attempt = await prepareAttempt(request, context, ports);
  if (attempt.kind !== 'prepared') return attempt;
  // Each return awaits, because the environment is released when this function returns.
  await using environment = attempt.environment;
  await using watches = new AsyncDisposableStack();
  watches.use(watchLogin(attempt));
  watches.use(watchMessages(attempt));
  if (attempt.input.why.kind === 'takeover') {
    const left = await takeOver(attempt);
    if (left.kind === 'stopped') await commit(attempt);
    return await redacted(left, environment);
  }
  const run = await runAgent(attempt);
  if (run.kind !== 'ran') return await redacted(run, environment);
  const committed = await commit(attempt);
  const evidence = await gatherEvidence(attempt, run, committed);
  if (evidence.stoppedBy === 'time-budget') await noteTimeSpent(attempt, run, evidence);
  const end = { run: request.run, now: ports.clock.now() };
  const classified = withExpiredLogin(classifyAttempt(evidence), environment.login, end);
  const answered = withAnswer(classified, attempt.input, run);
  await attempt.reportEnd(answered);
  return await withTurnNotes(answered, attempt, run);
}

/** The gateway has noted it already if it refused a call, because a call was made at the same time. */
async function noteTimeSpent(
  { context }: PreparedAttempt,
  { timeSpent }: AttemptRun,
  { calls }: Pick<AttemptEvidence, 'calls'>,
): Promise<void> {
  if (timeSpent === undefined || calls.some(({ overBudget }) => overBudget !== null)) return;
  await context.note(timeSpentNote(timeSpent));
}

async function commit(attempt: PreparedAttempt): Promise<CommittedTree | null> {
  const { environment, context, ports, reportActivity } = attempt;
  const committed = await commitRunWork(environment, context, ports.clock);
  if (committed !== null) reportActivity(changedPaths(committed.paths, environment));
  return committed;
}

function withAnswer(
  outcome: AttemptOutcome,
  { brief }: AttemptInput,
  { answer }: AttemptRun,
): AttemptOutcome {
  if (outcome.kind !== 'completed' || brief === undefined) return outcome;
  return attachAnswer(outcome, answer, brief.answer);
}

/** Texts are cut last: a text that still has secrets could be cut in the middle of one. */
async function withTurnNotes(
  whole: AttemptOutcome,
  { input, environment }: PreparedAttempt,
  run: AttemptRun,
): Promise<AttemptOutcome> {
  const texts = input.readsNotes === true ? { answer: run.answer, notes: run.notes } : null;
  const { outcome, said } = await redacted({ outcome: whole, said: texts }, environment);
  if (outcome.kind !== 'completed') return outcome;
  const summary = outcome.summary.slice(0, SUMMARY_CHARS_MAX);
  if (said === null) return { ...outcome, summary };
  return { ...outcome, summary, turnNotes: readTurnNotes(said.answer, said.notes) };
}

async function redacted<Value extends Json>(
  value: Value,
  { redactor }: Pick<AttemptEnvironment, 'redactor'>,
): Promise<Value> {
  return redactor === null ? value : redactValue(redactor, value);
}
