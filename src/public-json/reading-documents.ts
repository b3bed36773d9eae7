/** What explains runs: why, report, inbox, cooldowns, logs, and notifications. */
import { z } from 'zod';
import type { OutputChunk } from '../protocol/api.ts';
import type { OpenQuestion } from '../protocol/views/open-question.ts';
import type { CooldownView } from '../protocol/views/cooldown-view.ts';
import type { WhyView } from '../reports/runs/explain-run.ts';
import type { ReportRow, ReportView } from '../reports/runs/runs-report.ts';
import { acceptedGates } from './accepted-field.ts';
import { AppliedWork, appliedWork } from './apply-result.ts';
import {
  Evidence,
  costUsd,
  documentSchema,
  durationMs,
  field,
  questionAbout,
  runId,
  runState,
  time,
  toIso,
  toIsoOrNull,
} from './document.ts';
import { RunResult } from './run-result.ts';
import { timesWithoutRun, timesWithoutRunOf } from './times-without-run-field.ts';
import { undelivered, undeliveredOf } from './undelivered-field.ts';

export const WhyDocument = documentSchema('why', 'Why a run is in its state.', {
  run_id: runId,
  state: runState,
  causes: field(
    z.array(z.strictObject({ at: time, message: z.string(), evidence: z.array(Evidence) })),
    'In their order. The last one is the current state.',
  ),
  applied: field(AppliedWork.nullable(), 'How the work came into the project. Null: it did not.'),
  undelivered,
  remedy: field(z.string().nullable(), 'What you can do now.'),
});

export function whyDocument({
  run,
  state,
  chain,
  applied,
  undelivered: missed,
  next,
}: WhyView): z.infer<typeof WhyDocument> {
  return {
    schema: 'supervisor.why/1',
    run_id: run,
    state,
    causes: chain.map(({ at, what, evidence }) => ({ at: toIso(at), message: what, evidence })),
    applied: appliedWork(applied),
    undelivered: undeliveredOf(missed),
    remedy: next,
  };
}

const Row = z.strictObject({
  run_id: runId,
  task: field(z.string(), 'Its first line.'),
  project: z.string(),
  state: runState,
  reason: z.string(),
  asks: field(z.boolean(), 'It waits for your answer, or for a key.'),
  continues_run_id: field(z.string().nullable(), 'The run that this one continues.'),
  resumed_as_run_id: field(
    z.string().nullable(),
    'The newest run that continues this one, if it ended badly.',
  ),
  accepted_gates: acceptedGates,
  attempts: field(z.int(), 'Its own: those of a run that it continues are in the row of that run.'),
  agent_id: z.string().nullable(),
  cost_usd: field(costUsd, 'Of its own attempts.'),
  known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
  cost_source: field(
    z.enum(['cli', 'gateway', 'both']).nullable(),
    "The agents' CLIs, our gateway, or both.",
  ),
  waited_ms: field(durationMs, 'How long it waited for limits and retries.'),
  waited_for: z.string().nullable(),
  submitted_at: time,
  ended_at: time.nullable(),
  applied: field(AppliedWork.nullable(), 'How the work came into the project. Null: it did not.'),
  undelivered,
  remedy: field(z.string().nullable(), 'What you can do about it.'),
});

export const ReportDocument = documentSchema('report', 'The runs of a period.', {
  since: time,
  until: time,
  done: z.array(Row),
  unverified: z.array(Row),
  failed: z.array(Row),
  stopped: z.array(Row),
  active: z.array(Row),
  needs_you: field(
    z.array(runId),
    'Runs that need a person to continue. Of runs that continue one another, only the newest.',
  ),
  cost_usd: costUsd,
  known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
  attempts: z.int(),
  waited_ms: durationMs,
  downtimes: field(
    z.array(
      z.strictObject({
        from: time,
        until: time,
        duration_ms: durationMs,
        run_ids: field(z.array(runId), 'The runs that were active.'),
      }),
    ),
    'When no owner ran while a run of this report was active.',
  ),
  times_without_run: timesWithoutRun,
  left_out: field(z.int(), 'Runs that the report leaves out because there are too many.'),
  looked_at: field(z.int().nullable(), 'Only this many ended runs were read. Null: all.'),
  damaged: field(z.array(runId), 'Runs with a damaged fact, which the report leaves out.'),
});

export function reportDocument(view: ReportView): z.infer<typeof ReportDocument> {
  return {
    schema: 'supervisor.report/1',
    since: toIso(view.since),
    until: toIso(view.until),
    done: view.done.map(rowOf),
    unverified: view.unverified.map(rowOf),
    failed: view.failed.map(rowOf),
    stopped: view.stopped.map(rowOf),
    active: view.going.map(rowOf),
    needs_you: view.needsYou,
    ...costOf(view),
    attempts: view.attempts,
    waited_ms: view.waitedMs,
    downtimes: (view.downtimes ?? []).map(({ from, to, runs }) => ({
      from: toIso(from),
      until: toIso(to),
      duration_ms: to - from,
      run_ids: runs,
    })),
    times_without_run: timesWithoutRunOf(view.timesWithoutRun),
    left_out: view.leftOut,
    looked_at: view.lookedAt ?? null,
    damaged: view.damaged ?? [],
  };
}

function rowOf(row: ReportRow): z.infer<typeof Row> {
  return {
    run_id: row.run,
    task: row.task,
    project: row.project,
    state: row.state,
    reason: row.because,
    asks: row.asks,
    continues_run_id: row.continues,
    resumed_as_run_id: row.resumedAs,
    accepted_gates: row.accepted,
    attempts: row.attempts,
    agent_id: row.agent,
    ...costOf(row),
    cost_source: row.costFrom,
    waited_ms: row.waitedMs,
    waited_for: row.waitedFor,
    submitted_at: toIso(row.submittedAt),
    ended_at: toIsoOrNull(row.endedAt),
    applied: appliedWork(row.applied),
    undelivered: undeliveredOf(row.undelivered),
    remedy: row.next,
  };
}

function costOf({ costUsd: usd, costPartial }: Pick<ReportRow, 'costUsd' | 'costPartial'>) {
  return {
    cost_usd: costPartial ? null : usd,
    known_cost_usd: costPartial && usd === 0 ? null : usd,
  };
}

const parentRunId = field(runId.nullable(), 'The run that started it. Null: you did.');
const rootRunId = field(runId, 'The run that you started: itself, or the top of those above it.');

export const InboxDocument = documentSchema('inbox', 'The open questions, oldest first.', {
  questions: z.array(
    z.strictObject({
      run_id: runId,
      parent_run_id: parentRunId,
      root_run_id: rootRunId,
      key: z.string(),
      task: z.string(),
      project: z.string(),
      question: z.string(),
      choices: field(z.array(z.string()), 'Empty: any text is a valid answer.'),
      about: questionAbout,
      asked_at: time,
      budget: field(
        z
          .strictObject({
            scope: z.enum(['run', 'project', 'tree']),
            limit: z.enum(['tokens', 'usd', 'calls', 'wall']),
            cause: field(
              z.enum(['spent', 'price_unknown']),
              'price_unknown: money is limited, and the price of the model is unknown.',
            ),
            cap: field(z.number(), 'The configured limit. A time is in milliseconds.'),
            model: field(z.string().nullable(), 'The model whose price is unknown.'),
          })
          .nullable(),
        'The budget that stopped the run, if that is why it asks.',
      ),
    }),
  ),
});

export function inboxDocument(all: readonly OpenQuestion[]): z.infer<typeof InboxDocument> {
  return {
    schema: 'supervisor.inbox/1',
    questions: all.map(({ run, parent, root, over, ...asked }) => ({
      ...{ run_id: run, parent_run_id: parent, root_run_id: root },
      ...{ key: asked.key, task: asked.task, project: asked.project },
      ...{ question: asked.question, choices: asked.choices },
      about: asked.about ?? null,
      asked_at: toIso(asked.since),
      budget:
        over === null
          ? null
          : {
              scope: over.scope,
              limit: over.limit,
              cause: over.because === 'spent' ? 'spent' : 'price_unknown',
              cap: over.cap,
              model: over.model ?? null,
            },
    })),
  };
}

export const CooldownsDocument = documentSchema('cooldowns', 'Agents that are cooling down.', {
  cooldowns: z.array(
    z.strictObject({
      agent_id: field(z.string(), 'Its name when it was last limited.'),
      identity: z.string(),
      until: time,
      reason: z.string(),
      last_limited_at: time,
    }),
  ),
});

export function cooldownsDocument(all: readonly CooldownView[]): z.infer<typeof CooldownsDocument> {
  return {
    schema: 'supervisor.cooldowns/1',
    cooldowns: all.map(({ agent, identity, until, reason, lastLimitedAt }) => ({
      agent_id: agent,
      identity,
      until: toIso(until),
      reason,
      last_limited_at: toIso(lastLimitedAt),
    })),
  };
}

export const LogsDocument = documentSchema('logs', 'A piece of output, one per line.', {
  run_id: runId,
  key: field(z.string(), 'The step that printed it, such as attempt-1.'),
  stream: z.enum(['stdout', 'stderr', 'calls']),
  text: z.string(),
});

export function logsDocument(run: string, chunk: OutputChunk): z.infer<typeof LogsDocument> {
  const { key, stream, text } = chunk;
  return { schema: 'supervisor.logs/1', run_id: run, key, stream, text };
}

export const NotificationDocument = documentSchema(
  'notification',
  'What --notify sends when a run ends, asks or is paused, and before a login expires.',
  {
    event: field(
      z.enum(['ended', 'asks', 'login', 'paused']),
      'login: the login of its agent is about to expire. paused: Supervisor paused it.',
    ),
    run_id: runId,
    parent_run_id: parentRunId,
    root_run_id: rootRunId,
    state: runState,
    project: z.string(),
    task: z.string(),
    reason: z.string(),
    remedy: field(z.string().nullable(), 'What you can do about it.'),
    result: RunResult,
  },
);
export type NotificationDocument = z.infer<typeof NotificationDocument>;

export function notificationDocument(
  event: NotificationDocument['event'],
  { run, state, project, task, because, next }: ReportRow,
  result: RunResult,
  { parent, root }: Pick<OpenQuestion, 'parent' | 'root'>,
): NotificationDocument {
  return {
    schema: 'supervisor.notification/1',
    event,
    run_id: run,
    parent_run_id: parent,
    root_run_id: root,
    state,
    project,
    task,
    reason: because,
    remedy: next,
    result,
  };
}
