/** The text of `report`: the runs of a period by their outcome. */
import { formatDuration } from '../../base/format-duration.ts';
import { formatMoment, formatSpan, withLocalTimes } from '../../base/format-time.ts';
import { keepEnd, oneLine, plural, truncate } from '../../base/text.ts';
import { describeAccepted } from '../../protocol/words/accepted-gate.ts';
import { asClaim } from '../../protocol/words/claimed-outcome.ts';
import { describeApplied } from '../../protocol/views/applied-view.ts';
import { costWords, digitsThatAddUp } from '../../reports/cost-words.ts';
import type { ReportRow, ReportView } from '../../reports/runs/runs-report.ts';
import type { TimeWithoutRun } from '../../reports/runs/times-without-run.ts';
import { describeTimeWithoutRun } from '../../reports/runs/times-without-run.ts';
import { describeUndelivered } from '../../reports/runs/undelivered.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** Runs that need a person come first, because that person may have only a minute. */
export function formatReport(context: CliContext, report: ReportView): string {
  const { done, unverified, failed, stopped, going, needsYou, since, until } = report;
  const all = [...done, ...unverified, ...failed, ...stopped, ...going];
  const back = formatDuration(until - since);
  const without = (report.timesWithoutRun ?? []).map((one) => timeLine(context, one));
  if (all.length === 0) return `No runs in the last ${back}.\n${without.join('')}`;
  const digits = digitsThatAddUp(all.flatMap(({ costUsd }) => costUsd ?? []));
  const waiting = all.filter(({ run }) => needsYou.includes(run));
  const rest = (rows: readonly ReportRow[]): readonly ReportRow[] =>
    rows.filter(({ run }) => !needsYou.includes(run));
  return [
    `${paint(context, 'bold', `The last ${back}`)}  ${summary(report, all, digits)}\n`,
    ...(report.downtimes ?? []).map((one) => downtimeLine(context, one)),
    ...without,
    group(context, 'Needs you', 'yellow', waiting, digits),
    group(context, 'Failed', 'red', rest(failed), digits),
    group(context, 'Unverified: no gate has proven the work', 'yellow', rest(unverified), digits),
    group(context, 'Done', 'green', rest(done), digits),
    group(context, 'Stopped', 'yellow', rest(stopped), digits),
    group(context, 'Active', 'cyan', rest(going), digits),
    formatOmitted(report),
  ].join('');
}

function downtimeLine(
  context: CliContext,
  { from, to, runs }: NonNullable<ReportView['downtimes']>[number],
): string {
  const span = formatSpan(from, to, context.clock.now(), context.timeZone);
  const text = `No owner ran ${span} (${formatDuration(to - from)}). ${plural(runs.length, 'run')} stood still: ${runs.join(', ')}`;
  return `${paint(context, 'yellow', shortLine(text))}\n`;
}

function timeLine(context: CliContext, one: TimeWithoutRun): string {
  const when = formatMoment(one.due, context.clock.now());
  const often = one.times === 1 ? when : `${one.times} times until ${when}`;
  // It ends with what helps, so nothing is cut off.
  const text = oneLine(printable(withLocalTimes(describeTimeWithoutRun(one), context.clock.now())));
  return `${paint(context, 'yellow', `${often}: ${text}`)}\n`;
}

function formatOmitted({ leftOut, lookedAt, damaged = [] }: ReportView): string {
  const more =
    leftOut === 0
      ? ''
      : `\n${plural(leftOut, 'more run is', 'more runs are')} not shown. List all with: supervisor status --all --limit 10000\n`;
  const cut =
    lookedAt === undefined
      ? ''
      : `\nOnly the newest ${plural(lookedAt, 'ended run is', 'ended runs are')} included. Use --since for a shorter time.\n`;
  const unread =
    damaged.length === 0
      ? ''
      : `\nNot included because their journal entries are damaged: ${damaged.join(', ')}. See: supervisor doctor\n`;
  return `${more}${cut}${unread}`;
}

function summary(report: ReportView, all: readonly ReportRow[], digits: number): string {
  const { needsYou, attempts, costUsd } = report;
  const cost = costWords({ usd: costUsd, isPartial: report.costPartial }, digits);
  // Each row shows whole seconds.
  const waitedMs = all.reduce((sum, row) => sum + Math.floor(row.waitedMs / 1000) * 1000, 0);
  const others = (rows: readonly ReportRow[]): number =>
    rows.filter(({ run }) => !needsYou.includes(run)).length;
  const counts: readonly [number, string][] = [
    [others(report.done), 'done'],
    [others(report.unverified), 'unverified'],
    [others(report.failed), 'failed'],
    [others(report.stopped), 'stopped'],
    [others(report.going), 'active'],
  ];
  return [
    ...(needsYou.length === 0 ? [] : [plural(needsYou.length, 'run needs you', 'runs need you')]),
    ...counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`),
    plural(attempts, 'attempt'),
    ...(cost === '' ? [] : [cost]),
    ...(waitedMs < 1000 ? [] : [`waited ${formatDuration(waitedMs)}`]),
  ].join(', ');
}

function group(
  context: CliContext,
  title: string,
  style: Parameters<typeof paint>[1],
  rows: readonly ReportRow[],
  digits: number,
): string {
  if (rows.length === 0) return '';
  const entries = rows.map((row) => entry(context, row, digits));
  return `\n${paint(context, style, title)}\n${entries.join('')}`;
}

const COUNTED_BY = {
  cli: ' as reported by the CLI',
  gateway: '',
  both: ' in part as reported by the CLI',
} as const;

function entry(context: CliContext, row: ReportRow, digits: number): string {
  const { run, task, project, state, because, attempts, agent, waitedMs, waitedFor } = row;
  const { costFrom, applied } = row;
  const now = context.clock.now();
  const why = row.isClaim ? asClaim(because) : because;
  const cost = costWords({ usd: row.costUsd, isPartial: row.costPartial }, digits);
  const facts = [
    `${state} ${when(context, row)}`,
    ...(agent === null ? [] : [agent]),
    ...(attempts > 1 ? [plural(attempts, 'attempt')] : []),
    ...(cost === '' ? [] : [`${cost}${COUNTED_BY[costFrom ?? 'gateway']}`]),
    ...(waitedMs < 1000
      ? []
      : [`waited ${formatDuration(waitedMs)} (${shortLine(waitedFor ?? '')})`]),
    ...(row.continues === null ? [] : [`continues ${row.continues}`]),
    project,
  ].join(', ');
  return [
    `  ${paint(context, 'cyan', run)}  ${shortLine(task)}\n`,
    `    ${paint(context, 'dim', shortLine(facts))}\n`,
    because === '' ? '' : `    ${keepEnd(printable(withLocalTimes(why, now)), 200)}\n`,
    row.accepted.length === 0 ? '' : `    ${shortLine(describeAccepted(row.accepted))}\n`,
    applied === null ? '' : `    ${shortLine(describeApplied(applied, now))}\n`,
    ...row.undelivered.map(
      (one) => `    ${paint(context, 'yellow', shortLine(describeUndelivered(one)))}\n`,
    ),
    row.next === null
      ? ''
      : `    ${paint(context, 'dim', '→')} ${oneLine(printable(withLocalTimes(row.next, now)))}\n`,
  ].join('');
}

function when(context: CliContext, { submittedAt, endedAt, waitsSince }: ReportRow): string {
  const { clock, timeZone } = context;
  const span = formatSpan(waitsSince ?? submittedAt, endedAt, clock.now(), timeZone);
  return endedAt === null ? `since ${span.slice(0, -1)}` : span;
}

function shortLine(text: string): string {
  return truncate(oneLine(printable(text)), 200);
}
