/** The states of runs, as `status --json` and every command that changes runs print them. */
import { z } from 'zod';
import type { RunArtifacts } from '../protocol/api.ts';
import { AGENT_PROGRAM } from '../protocol/agent-program-name.ts';
import type { RunLimits } from '../protocol/views/run-limits.ts';
import { attemptDeadline } from '../protocol/views/run-limits.ts';
import { ownSpending } from '../protocol/views/own-spending.ts';
import { openQuestions } from '../protocol/views/questions-of-run.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { runStatus } from '../protocol/views/run-status.ts';
import { acceptedGates } from './accepted-field.ts';
import { AppliedWork, appliedWork } from './apply-result.ts';
import { StepStatus, stepsStatus } from './step-status.ts';
import type { StatusRow } from '../protocol/views/status-row.ts';
import {
  anyJson,
  costUsd,
  documentSchema,
  field,
  questionAbout,
  runId,
  runState,
  time,
  toIso,
  toIsoOrNull,
  tokens,
} from './document.ts';
import { ErrorFields, commandError } from './error-document.ts';
import { fullReason, reasonFieldsOrNull, shortReason } from './reason-fields.ts';

const Artifact = z.strictObject({
  attempt: z.string(),
  path: z.string(),
  bytes: z.int(),
});

const Run = z.strictObject({
  run_id: runId,
  state: runState,
  reason: field(
    shortReason.nullable(),
    'Why it is in its state, on one short line. Null: the state says it all.',
  ),
  full_reason: fullReason,
  kind: field(z.enum(['run', 'agent']), 'agent: a long-lived agent.'),
  name: field(z.string().nullable(), 'The name of a long-lived agent.'),
  parent_run_id: field(
    z.string().nullable(),
    'The run that started it, or the parent of a long-lived agent.',
  ),
  task: z.string(),
  project: z.string(),
  agent_id: field(z.string().nullable(), 'The agent of the last attempt, or the first to try.'),
  attempts: field(z.int(), 'How many of its own have begun.'),
  lives: field(z.int(), 'For a long-lived agent: how often it was started.'),
  submitted_at: time,
  ended_at: time.nullable(),
  paused_at: time.nullable(),
  waiting_until: field(time.nullable(), 'The end of its wait for a limit or a retry.'),
  questions: field(
    z.array(
      z.strictObject({
        run_id: field(z.string(), 'The run that asks: this one, or one that it has started.'),
        key: z.string(),
        question: z.string(),
        choices: field(z.array(z.string()), 'Empty: any text is a valid answer.'),
        about: questionAbout,
        asked_at: time,
      }),
    ),
    'What it asks you, and what the runs ask that it has started.',
  ),
  gate: field(
    z
      .strictObject({ name: z.string(), state: z.enum(['running', 'passed', 'failed', 'unable']) })
      .nullable(),
    'The last gate of its last attempt.',
  ),
  accepted_gates: acceptedGates,
  caveats: field(z.array(z.string()), 'What limits the proof of its gates.'),
  workflow: field(z.string().nullable(), 'The workflow that it runs. Null: none.'),
  step: field(z.string().nullable(), 'The step of the workflow that began last.'),
  steps: field(
    z.array(StepStatus),
    'The steps of the workflow in their order. Empty: there is none.',
  ),
  continues_run_id: field(z.string().nullable(), 'The run that this one continues.'),
  resumed_as_run_id: field(
    z.string().nullable(),
    'The newest run that continues this one, if it ended badly.',
  ),
  usage: field(
    z.strictObject({
      total_tokens: tokens,
      model_calls: field(z.int(), 'As our gateway counts them.'),
      unpriced_calls: field(z.int(), 'Calls to models whose price is unknown.'),
      cost_usd: costUsd,
      known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
    }),
    'What the run itself has used, without a run that it continues.',
  ),
  limits: field(
    z
      .strictObject({
        cost_usd: field(z.number().nullable(), 'Null: no limit. Runs that it continues count too.'),
        total_tokens: z.number().nullable(),
        model_calls: z.number().nullable(),
        duration_ms: z.number().nullable(),
        attempt_ms: field(z.number().nullable(), 'The deadline of each attempt.'),
        attempt_ends_at: field(time.nullable(), 'The deadline of the attempt that works now.'),
        before_cost_usd: field(z.number(), 'What the runs that it continues have spent of it.'),
      })
      .nullable(),
    'What it may spend. Null in a list.',
  ),
  applied: field(AppliedWork.nullable(), 'How the work came into the project. Null: it did not.'),
  answer: field(anyJson, 'The answer of the last attempt, in the form of its role. Null: none.'),
  artifacts: field(z.array(Artifact).nullable(), 'Null in a list. `status RUN --json` names them.'),
});
export type RunStatusJson = z.infer<typeof Run>;

export const StatusDocument = documentSchema('status', 'Runs and their states.', {
  runs: z.array(Run),
  errors: field(
    z.array(z.strictObject({ run: z.string(), error: ErrorFields })),
    'The runs for which a command on several runs failed, as they were named.',
  ),
  error: commandError,
});
export type StatusDocument = z.infer<typeof StatusDocument>;

export function statusDocument(
  runs: readonly RunStatusJson[],
  errors: StatusDocument['errors'] = [],
): StatusDocument {
  const error = errors[0]?.error ?? null;
  return { schema: 'supervisor.status/1', runs: [...runs], errors: [...errors], error };
}

export function statusOf(
  { view, reason, applied, resumedAs, limits }: StatusRow,
  artifacts: RunArtifacts['files'] | null = null,
): RunStatusJson {
  return {
    run_id: view.id,
    state: runStatus(view),
    ...reasonFieldsOrNull(reason),
    kind: view.program === AGENT_PROGRAM ? 'agent' : 'run',
    name: view.name,
    parent_run_id: view.parent,
    task: view.task,
    project: view.project,
    agent_id: view.agent,
    attempts: view.attempts,
    lives: view.lives,
    submitted_at: toIso(view.submittedAt),
    ended_at: toIsoOrNull(view.endedAt),
    paused_at: toIsoOrNull(view.pausedAt),
    waiting_until: waitingUntil(view),
    questions: openQuestions(view).map(({ run, key, question, choices, about, since }) => ({
      run_id: run,
      key,
      question,
      choices,
      about: about ?? null,
      asked_at: toIso(since),
    })),
    gate: view.gate === null ? null : { name: view.gate.name, state: view.gate.verdict },
    accepted_gates: view.accepted,
    caveats: view.caveats,
    workflow: view.workflow?.name ?? null,
    step: view.workflow?.current ?? null,
    steps: stepsStatus(view.workflow),
    continues_run_id: view.continues,
    resumed_as_run_id: resumedAs ?? null,
    usage: usageOf(view),
    limits: limits === undefined ? null : limitsOf(view, limits),
    applied: appliedWork(applied),
    answer: view.answer,
    artifacts:
      artifacts === null
        ? null
        : artifacts.map(({ attempt, path, bytes }) => ({ attempt, path, bytes })),
  };
}

function limitsOf(view: RunView, limits: RunLimits): RunStatusJson['limits'] {
  return {
    cost_usd: limits.usd,
    total_tokens: limits.tokens,
    model_calls: limits.calls,
    duration_ms: limits.wallMs,
    attempt_ms: limits.deadlineMs,
    attempt_ends_at: toIsoOrNull(attemptDeadline(view, limits)),
    before_cost_usd: view.budget.before.usd,
  };
}

function waitingUntil({ open }: RunView): string | null {
  const times = open.flatMap(({ waitUntil }) => waitUntil ?? []);
  return times.length === 0 ? null : toIso(Math.min(...times));
}

/** A run whose calls do not pass through the gateway has no count. */
function usageOf({ budget }: RunView): RunStatusJson['usage'] {
  const { usd, tokens, calls, unpricedCalls } = ownSpending(budget);
  const isCounted = calls > 0;
  const known = isCounted && !(unpricedCalls > 0 && usd === 0) ? usd : null;
  return {
    total_tokens: isCounted ? tokens : null,
    model_calls: calls,
    unpriced_calls: unpricedCalls,
    cost_usd: unpricedCalls > 0 ? null : known,
    known_cost_usd: known,
  };
}
