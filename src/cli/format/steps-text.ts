/** The text of `report --steps`: a table for each workflow, and what its figures cannot say. */
import { plural } from '../../base/text.ts';
import { costWords } from '../../reports/cost-words.ts';
import type { StepRow, StepsReportView, TemplateSteps } from '../../reports/steps/steps-report.ts';
import { STEPS_LIMITS, changedWords, stepsWords } from '../../reports/steps/steps-words.ts';
import { nearest } from '../../yaml/nearest.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { shortCount } from './short-count.ts';
import { joinCells, layOutTable } from './text-table.ts';

const COLUMNS = [
  { title: 'step', least: 10 },
  { title: 'runs', isRight: true },
  { title: 'tokens', isRight: true },
  { title: 'minutes', isRight: true },
  { title: 'cost', isRight: true },
  { title: 'changed the outcome' },
] as const;

/** `template`: the only one that was asked for. */
export function formatSteps(
  context: CliContext,
  report: StepsReportView,
  template: string | undefined,
): string {
  const { templates, active, leftOut } = report;
  const notCounted = [
    ...(active === 0
      ? []
      : [`${plural(active, 'active workflow is', 'active workflows are')} not counted.`]),
    ...(leftOut === 0
      ? []
      : [
          `${plural(leftOut, 'older run is', 'older runs are')} not counted. Use --since for a shorter time.`,
        ]),
  ];
  if (templates.length === 0)
    return [noRuns(report, template), ...notCounted].map((line) => `${line}\n`).join('');
  return [
    ...templates.map((one) => formatTemplate(context, one)),
    [...STEPS_LIMITS, ...notCounted].map((line) => `${paint(context, 'dim', line)}\n`).join(''),
  ].join('\n');
}

function noRuns({ known }: StepsReportView, template: string | undefined): string {
  if (template === undefined)
    return 'No workflow has ended in this time. Start one with: supervisor run TASK --workflow mvp';
  const meant = nearest(template, known);
  const advice =
    known.length === 0
      ? 'No workflow has run yet.'
      : meant === undefined
        ? `Workflows that have run: ${known.map(printable).join(', ')}.`
        : `Did you mean ${printable(meant)}?`;
  return `No run of the workflow ${printable(template)} has ended in this time. ${advice}`;
}

function formatTemplate(context: CliContext, template: TemplateSteps): string {
  const { runs, succeeded, steps } = template;
  const table = layOutTable(context.terminal, COLUMNS, steps.map(cells));
  const lines = table.rows.map(([step = '', ...rest]) =>
    joinCells([paint(context, 'cyan', step), ...rest]),
  );
  const head = `${paint(context, 'bold', printable(template.template))}  ${plural(runs, 'run')}, ${succeeded} succeeded`;
  const notes = stepsWords(template).map(printable);
  return `${[head, paint(context, 'dim', joinCells(table.head)), ...lines, ...notes].join('\n')}\n`;
}

function cells(row: StepRow): readonly string[] {
  const { step, runs, tokens, busyMs, costUsd, costPartial } = row;
  const cost = costWords({ usd: costUsd, isPartial: costPartial });
  return [
    printable(step),
    String(runs),
    tokens === null ? 'unknown' : shortCount(tokens),
    (busyMs / 60_000).toFixed(1),
    cost === '' ? 'unknown' : cost.replace('cost unknown', 'unknown').replace('at least ', '≥'),
    changedWords(row),
  ];
}
