/** The report on all runs of a period: which are done, which failed and why, their cost, and which need a person. */
import { truncate } from '../../base/text.ts';
import { z } from 'zod';
import { AcceptedGate } from '../../protocol/words/accepted-gate.ts';
import { AppliedView } from '../../protocol/views/applied-view.ts';
import type { RunStatus } from '../../protocol/views/run-status.ts';
import { RUN_STATES } from '../../protocol/views/run-status.ts';
import { adviceFor } from '../advice.ts';
import { withoutAdvice } from '../../protocol/views/answer-advice.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { questionWords } from '../../protocol/views/question-words.ts';
import { isClaim } from '../../protocol/words/claimed-outcome.ts';
import { endedBadly } from '../../protocol/outcome.ts';
import { countOwnAttempts, ownAttempts, ownCost, ownWaitedMs } from './own-history.ts';
import type { Downtime } from './downtimes.ts';
import { wasActive } from './downtimes.ts';
import type { AttemptHistory } from './attempt-history.ts';
import type { RunHistory } from './run-history.ts';
import { TimeWithoutRun } from './times-without-run.ts';
import { Undelivered } from './undelivered.ts';

const Row = z.strictObject({
  run: z.string(),
  /** The first line of the task. */
  task: z.string(),
  project: z.string(),
  state: z.enum(RUN_STATES),
  /** The reason of its outcome, or what it waits for. */
  because: z.string(),
  /** The reason is what the agent says about its own work. */
  isClaim: z.boolean(),
  /** Gates that are red on its work and that a person accepted. */
  accepted: z.array(AcceptedGate),
  attempts: z.int(),
  agent: z.string().nullable(),
  /** Without the cost of the run that it continues: that is in the row of that run. The same is true of `attempts`. */
  costUsd: z.number().nullable(),
  /** Some of its tokens have no known price, so `costUsd` is not all of it. */
  costPartial: z.boolean(),
  /** The source of the cost: the agents' CLIs, our gateway, or both. */
  costFrom: z.enum(['cli', 'gateway', 'both']).nullable(),
  /** How long it waited for limits and retries, and the reason of the last wait. */
  waitedMs: z.number(),
  waitedFor: z.string().nullable(),
  submittedAt: z.number(),
  /** Since when it has asked or waited as it does now. Null: it does neither. */
  waitsSince: z.number().nullable(),
  endedAt: z.number().nullable(),
  /** The run that it continues. */
  continues: z.string().nullable(),
  /** The newest run that continues it, if it ended badly. */
  resumedAs: z.string().nullable(),
  /** It has a question: it continues when a person answers, or gives it the key that it lacks. */
  asks: z.boolean(),
  applied: AppliedView.nullable(),
  /** Notifications about it that did not arrive, oldest first. */
  undelivered: z.array(Undelivered),
  /** What the user can do about it. */
  next: z.string().nullable(),
});
export type ReportRow = z.infer<typeof Row>;

export const ReportView = z.strictObject({
  since: z.number(),
  until: z.number(),
  done: z.array(Row),
  unverified: z.array(Row),
  failed: z.array(Row),
  stopped: z.array(Row),
  going: z.array(Row),
  /** Ids of runs that need a person to continue. Of runs that continue one another, only the newest. */
  needsYou: z.array(z.string()),
  costUsd: z.number().nullable(),
  costPartial: z.boolean(),
  attempts: z.int(),
  waitedMs: z.number(),
  /** The number of runs that the report leaves out because there are too many. */
  leftOut: z.int(),
  /** Only this many of the newest ended runs were read. Absent: all of them. */
  lookedAt: z.int().exactOptional(),
  /** When no owner ran while a run of this report was active, and which ones. Absent: never. */
  downtimes: z
    .array(z.strictObject({ from: z.number(), to: z.number(), runs: z.array(z.string()) }))
    .exactOptional(),
  /** Times of schedules at which no run started. Absent: none. */
  timesWithoutRun: z.array(TimeWithoutRun).exactOptional(),
  /** Runs with a damaged fact, which the report leaves out. Absent: none was found. */
  damaged: z.array(z.string()).exactOptional(),
});
export type ReportView = z.infer<typeof ReportView>;

const TASK_MAX = 120;

type AroundRow = {
  /** The newest run that continues it. */
  readonly resumedAs?: string | null;
  readonly undelivered?: readonly Undelivered[];
  /** The open questions of the runs below it, oldest first. */
  readonly asksBelow?: readonly OpenQuestion[] | undefined;
};

export function reportRow(
  history: RunHistory,
  state: RunStatus,
  now: number,
  applied: AppliedView | null = null,
  { resumedAs = null, undelivered = [], asksBelow = [] }: AroundRow = {},
): ReportRow {
  const { id, project, outcome, attempts, waits, submittedAt, lastAt } = history;
  const [task = ''] = history.task.trim().split('\n', 1);
  const question = openQuestionOf(history, asksBelow);
  const cost = ownCost(history);
  const open = waits.find(({ endedAt }) => endedAt === null);
  const waitedMs = ownWaitedMs(history, now);
  return {
    run: id,
    task: truncate(task, TASK_MAX),
    project,
    state,
    because: outcome?.reason ?? question?.words ?? open?.why ?? '',
    isClaim: isClaim(history),
    accepted: [...history.accepted],
    attempts: countOwnAttempts(history),
    agent: attempts.at(-1)?.agentId ?? null,
    costUsd: cost.usd,
    costPartial: cost.isPartial,
    costFrom: costFrom(ownAttempts(history)),
    waitedMs,
    waitedFor: waits.at(-1)?.why ?? null,
    submittedAt,
    waitsSince: outcome === null ? (question?.since ?? open?.begunAt ?? null) : null,
    endedAt: outcome === null ? null : lastAt,
    continues: history.from,
    resumedAs: outcome !== null && endedBadly(outcome) ? resumedAs : null,
    asks: outcome === null && question !== undefined,
    applied,
    undelivered: [...undelivered],
    next: adviceFor(history, applied, resumedAs, asksBelow),
  };
}

/** Its own, or else the oldest of those below it. */
function openQuestionOf(
  { id, questions }: RunHistory,
  [below]: readonly OpenQuestion[],
): { readonly words: string; readonly since: number } | undefined {
  const own = questions.find(({ endedAt }) => endedAt === null);
  if (own !== undefined) return { words: withoutAdvice(own.question), since: own.askedAt };
  return below && { words: questionWords(id, below), since: below.since };
}

function costFrom(attempts: readonly Pick<AttemptHistory, 'usage'>[]): ReportRow['costFrom'] {
  const [one, other] = [...new Set(attempts.flatMap(({ usage }) => usage.costFrom ?? []))];
  return other === undefined ? (one ?? null) : 'both';
}

type Window = Pick<
  ReportView,
  'since' | 'until' | 'leftOut' | 'lookedAt' | 'timesWithoutRun' | 'damaged'
>;

export function buildReport(
  rows: readonly ReportRow[],
  window: Window,
  downtimes: readonly Downtime[] = [],
): ReportView {
  const down = downtimes
    .filter(({ to }) => to >= window.since)
    .map((one) => ({
      ...one,
      runs: rows.filter((row) => wasActive(one, row)).map(({ run }) => run),
    }))
    .filter(({ runs }) => runs.length > 0);
  const endedAs = (...states: readonly string[]): ReportRow[] =>
    rows.filter((row) => row.endedAt !== null && states.includes(row.state));
  const costs = rows.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const needsPerson = ({ state, resumedAs, asks }: ReportRow): boolean =>
    asks || (state === 'blocked' && resumedAs === null);
  return {
    ...window,
    ...(down.length === 0 ? {} : { downtimes: down }),
    done: endedAs('succeeded'),
    unverified: endedAs('unverified'),
    failed: endedAs('failed', 'exhausted', 'refused', 'blocked'),
    stopped: endedAs('cancelled', 'killed'),
    going: rows.filter(({ endedAt }) => endedAt === null),
    needsYou: rows.filter(needsPerson).map(({ run }) => run),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, usd) => sum + usd, 0),
    costPartial: rows.some(({ costPartial }) => costPartial),
    attempts: rows.reduce((sum, row) => sum + row.attempts, 0),
    waitedMs: rows.reduce((sum, row) => sum + row.waitedMs, 0),
  };
}
