/** A run as one document for scripts, as `run --json` prints it and `runTask` resolves with it. */
import { z } from 'zod';
import type { AttemptHistory } from '../reports/runs/attempt-history.ts';
import type { RunHistory } from '../reports/runs/run-history.ts';
import type { StepCommit } from '../reports/steps/step-records.ts';
import { BEST_OF_PROGRAM } from '../protocol/best-of.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import type { WorkflowView } from '../protocol/views/workflow-view.ts';
import type { RunStatus } from '../protocol/views/run-status.ts';
import { acceptedGates } from './accepted-field.ts';
import { AppliedWork, appliedWork } from './apply-result.ts';
import { BaselineResult, baselineResults } from './baseline-result.ts';
import {
  Evidence,
  anyJson,
  costUsd,
  documentSchema,
  durationMs,
  field,
  runId,
  runState,
  time,
  toIso,
  toIsoOrNull,
  tokens,
} from './document.ts';
import { GateResult, gateResult } from './gate-result.ts';
import { ErrorFields } from './error-document.ts';
import { fullReason, reasonFieldsOrNull, shortReason } from './reason-fields.ts';
import { runError } from './run-error.ts';
import { RetryCounts, TotalUsage, countRetries, totalUsage } from './run-totals.ts';
import { StepResult, stepResults } from './step-result.ts';

const Failure = z.strictObject({
  type: z.string().nullable(),
  category: z.string().nullable(),
  recovery: z.string().nullable(),
  reason: z.string(),
  message: z.string(),
  reset_at: field(time.nullable(), 'When the limit of the provider ends.'),
  evidence: z.array(Evidence),
});

const UsageFrom = z.enum(['cli', 'gateway']).nullable();

const Attempt = z.strictObject({
  run_id: field(
    runId,
    'The run that made it and paid for it: this one, one that it continues, or the run of a step.',
  ),
  number: z.int(),
  agent_id: z.string(),
  agent_cli: z.string(),
  outcome: field(
    z.enum(['completed', 'failed', 'stopped', 'interrupted']).nullable(),
    'Null: it has not ended.',
  ),
  exit_code: field(
    z.int().nullable(),
    'As a shell reports it. Null: it has not ended, never started, or its end was not seen.',
  ),
  summary: field(z.string().nullable(), "The agent's final message about its work."),
  failure: Failure.nullable(),
  gates: z.array(GateResult),
  sandbox: z.strictObject({ backend: z.string().nullable(), container_id: z.string().nullable() }),
  usage: z.strictObject({
    input_tokens: tokens,
    output_tokens: tokens,
    cost_usd: costUsd,
    source: field(
      z.strictObject({ tokens: UsageFrom, cost: UsageFrom }),
      "The agent's CLI, or our gateway, which counts its calls.",
    ),
  }),
  started_at: time,
  ended_at: time.nullable(),
});

const WorkFile = z.strictObject({
  path: z.string(),
  added: field(z.int().nullable(), 'Added lines. Null: the file is not text.'),
  removed: field(z.int().nullable(), 'Removed lines. Null: the file is not text.'),
});

export const RunResult = documentSchema('run-result', 'A run, when it has ended.', {
  run_id: runId,
  state: runState,
  exit_code: field(
    z.int().nullable(),
    'The exit code of the command. Null: the run has not ended, and no signal has ended the command.',
  ),
  reason: field(
    shortReason.nullable(),
    'Why it ended as it did, on one short line. Null: it has not ended.',
  ),
  full_reason: fullReason,
  error: field(
    ErrorFields.nullable(),
    'Why the exit code is not 0, as precisely as it is known. Null: it is 0 or null.',
  ),
  project: z.string(),
  task: z.string(),
  continues_run_id: field(z.string().nullable(), 'The run that this one continues.'),
  submitted_at: time,
  ended_at: time.nullable(),
  duration_ms: durationMs,
  summary: field(z.string().nullable(), 'The final message of the last agent.'),
  answer: field(anyJson, 'The answer of the last attempt, in the form of its role. Null: none.'),
  baseline: field(z.array(BaselineResult), 'Each gate on the base, before the first attempt.'),
  gates: field(
    z.array(GateResult),
    'The gates that checked the last attempt. For a workflow: the last result of each of its gates.',
  ),
  accepted_gates: acceptedGates,
  caveats: field(z.array(z.string()), 'What limits the proof of these gates.'),
  files: field(
    z.array(WorkFile).nullable(),
    'The files that the work changes. Null: not known, for example because the agent worked directly in the project.',
  ),
  commit: field(
    z.string().nullable(),
    'The commit of your repository that has the work. Null: there is none.',
  ),
  branch: field(z.string().nullable(), 'The branch of your repository that got the commit.'),
  pull_request: field(z.string().nullable(), 'The address of the one that a workflow has opened.'),
  applied: field(AppliedWork.nullable(), 'How the work came into the project. Null: it did not.'),
  apply_error: field(
    ErrorFields.nullable(),
    'Why --apply did nothing. Null: it did, or it was not asked for.',
  ),
  usage: field(
    TotalUsage,
    'Of its own attempts and steps, without those of a run that it continues.',
  ),
  artifacts: z.array(z.string()),
  workspace: field(
    z.strictObject({
      root: z.string(),
      base: z.string().nullable(),
      branch: z.string().nullable(),
    }),
    'Where the work is. Without a workspace of its own it is in the project itself.',
  ),
  metadata: RetryCounts,
  workflow: field(z.string().nullable(), 'The workflow that it ran. Null: none.'),
  steps: field(
    z.array(StepResult),
    'The steps of the workflow in their order. Empty: there is none.',
  ),
  attempts: field(z.array(Attempt), 'In their order. For a workflow: those of its steps.'),
  cooling: field(
    z.array(z.strictObject({ agent_id: z.string(), until: time, reason: z.string() })),
    'The agents that are cooling down.',
  ),
});
export type RunResult = z.infer<typeof RunResult>;

/** What a command knows only after the run: whether it could apply the work, and its exit code. */
export const RunConclusion = RunResult.pick({ exit_code: true, error: true, apply_error: true });
export type RunConclusion = z.infer<typeof RunConclusion>;

/** The parts of the result that the history does not contain. */
export type ResultContext = {
  readonly state: RunStatus;
  readonly exitCode: number | null;
  readonly answer: unknown;
  readonly artifacts: readonly string[];
  readonly applied: AppliedView | null;
  /** Null: not known. */
  readonly files: readonly z.infer<typeof WorkFile>[] | null;
  /** Null: the run is no workflow. */
  readonly workflow: WorkflowView | null;
  /** The runs that the steps of the workflow have started, oldest first. Empty: not known. */
  readonly stepRuns: readonly RunHistory[];
};

export function runResult(history: RunHistory, context: ResultContext): RunResult {
  const { id, outcome, project, task, lastAt, submittedAt, steps } = history;
  const { applied, workflow, stepRuns } = context;
  // What a parent has chosen comes last: its summary and its gates are those of the run.
  const isParent = workflow !== null || stepRuns.length > 0;
  const parts = isParent ? withChosenLast(history, stepRuns) : [history];
  const paid = stepRuns.filter((run) => isOwnChild(history, run));
  const attempts = parts.flatMap((part) => part.attempts);
  const last = attempts.at(-1);
  const gates = workflow === null ? (last?.gates ?? []) : steps.gates;
  return {
    schema: 'supervisor.run-result/1',
    run_id: id,
    state: context.state,
    exit_code: context.exitCode,
    ...reasonFieldsOrNull(outcome?.reason ?? null),
    error: runError(history, applied, stepRuns),
    project,
    task,
    continues_run_id: history.from,
    submitted_at: toIso(submittedAt),
    ended_at: outcome === null ? null : toIso(lastAt),
    duration_ms: lastAt - submittedAt,
    summary: last?.summary ?? null,
    answer: context.answer ?? null,
    baseline: baselineResults(
      history.baseline,
      attempts.flatMap((one) => one.gates),
    ),
    gates: gates.map(gateResult),
    accepted_gates: history.accepted,
    caveats: [...new Set(gates.flatMap(({ caveats }) => caveats))],
    files: context.files === null ? null : [...context.files],
    ...commitOf(steps.commit, applied),
    applied: appliedWork(applied),
    apply_error: null,
    usage: totalUsage(stepRuns.length === 0 ? [history] : paid),
    artifacts: [...context.artifacts],
    workspace: workspaceOf(history, stepRuns),
    metadata: countRetries(parts),
    workflow: workflow?.name ?? null,
    steps: stepResults(workflow, paid),
    attempts: attempts.map(attemptResult),
    cooling: history.cooling
      .filter(({ until }) => until > lastAt)
      .map(({ agentId, until, reason }) => ({ agent_id: agentId, until: toIso(until), reason })),
  };
}

function commitOf(
  made: StepCommit | null,
  applied: AppliedView | null,
): Pick<RunResult, 'commit' | 'branch' | 'pull_request'> {
  if (made !== null)
    return { commit: made.commit, branch: made.branch, pull_request: made.pullRequest };
  const own = applied?.undone === null ? applied : null;
  return { commit: own?.commit ?? null, branch: own?.branch ?? null, pull_request: null };
}

/** Of several agents, the one whose work was chosen. The runs of steps stay in their order. */
function withChosenLast(
  { program, steps }: RunHistory,
  runs: readonly RunHistory[],
): readonly RunHistory[] {
  if (program !== BEST_OF_PROGRAM) return runs;
  const isChosen = ({ id }: RunHistory): boolean => id === steps.work?.run;
  return [...runs.filter((one) => !isChosen(one)), ...runs.filter(isChosen)];
}

/** A workflow that continues another one also has the runs that the other one has paid for. */
function isOwnChild({ id, children }: RunHistory, { id: run }: RunHistory): boolean {
  return children.some((one) => one.run === run && one.parent === id);
}

function workspaceOf(
  { attempts, project, steps }: RunHistory,
  stepRuns: readonly RunHistory[],
): RunResult['workspace'] {
  const writer = stepRuns.find(({ id }) => id === steps.work?.run);
  const kept = (writer?.attempts ?? attempts).findLast((one) => one.kept !== null)?.kept;
  return { root: kept?.root ?? project, base: kept?.base ?? null, branch: kept?.ref ?? null };
}

function attemptResult(attempt: AttemptHistory): RunResult['attempts'][number] {
  const { failure, sandbox, usage } = attempt;
  return {
    run_id: attempt.run,
    number: attempt.number,
    agent_id: attempt.agentId,
    agent_cli: attempt.agentCli,
    outcome: attempt.end,
    exit_code: attempt.exit,
    summary: attempt.summary,
    failure:
      failure === null
        ? null
        : {
            type: failure.type,
            category: failure.category,
            recovery: failure.recovery,
            reason: failure.reason,
            message: failure.message,
            reset_at: toIsoOrNull(failure.resetAt),
            evidence: failure.evidence.map(({ source, line, rule }) => ({ source, line, rule })),
          },
    gates: attempt.gates.map(gateResult),
    sandbox: { backend: sandbox.backend, container_id: sandbox.containerId },
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
      source: { tokens: usage.tokensFrom, cost: usage.costFrom },
    },
    started_at: toIso(attempt.startedAt),
    ended_at: toIsoOrNull(attempt.endedAt),
  };
}
