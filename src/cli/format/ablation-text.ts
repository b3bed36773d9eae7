/** The text of `ablate`: a line for each trial, and the comparison at the end. */
import { formatDuration } from '../../base/format-duration.ts';
import type { AblationView } from '../../protocol/views/ablation-view.ts';
import type { ArmTotals, ArmComparison } from '../../reports/steps/compare-arms.ts';
import { compareArms } from '../../reports/steps/compare-arms.ts';
import { comparedWords } from '../../reports/steps/compared-words.ts';
import { dollars } from '../../reports/cost-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { shortCount } from './short-count.ts';
import { joinCells, layOutTable } from './text-table.ts';

const STYLES = { solved: 'green', unsolved: 'red', void: 'yellow' } as const;
const WORDS = { solved: 'solved', unsolved: 'not solved', void: 'no verdict' } as const;

/** `nth`: from 1. */
export function formatTrial(context: CliContext, view: AblationView, nth: number): string {
  const trial = view.results[nth - 1];
  if (trial === undefined) return '';
  const { task, round, arm, verdict, why, durationMs, run } = trial;
  const where = `${nth}/${view.planned}  task ${task + 1}, round ${round}, ${arm} ${printable(view.step)}`;
  const reason = why === '' ? '' : `: ${printable(why)}`;
  const facts = [formatDuration(durationMs), ...(run === null ? [] : [`run ${run}`])].join(', ');
  return `${where}: ${paint(context, STYLES[verdict], WORDS[verdict])}${reason} ${paint(context, 'dim', `(${facts})`)}\n`;
}

export function formatComparison(context: CliContext, view: AblationView): string {
  const compared = compareArms(view.results);
  const { template, step } = view;
  const title = `${printable(template)} with and without ${printable(step)}`;
  const table = layOutTable(
    context.terminal,
    [
      { title: '' },
      { title: 'with', isRight: true },
      { title: 'without', isRight: true },
      { title: '' },
    ],
    rowsOf(compared),
  );
  const lines = table.rows.map(joinCells);
  return `${[
    '',
    paint(context, 'bold', title),
    paint(context, 'dim', joinCells(table.head)),
    ...lines,
    ...comparedWords({ template, step: printable(step) }, compared),
  ].join('\n')}\n`;
}

function rowsOf({ arms }: ArmComparison): readonly (readonly string[])[] {
  const row = (
    name: string,
    value: (arm: ArmTotals) => number | null,
    words: (value: number) => string,
  ): readonly string[] => {
    const [one, other] = [value(arms.with), value(arms.without)];
    const shown = [one, other].map((each) => (each === null ? 'unknown' : words(each)));
    return [name, ...shown, ratio(one, other)];
  };
  return [
    ['solved', ...[arms.with, arms.without].map((arm) => `${arm.solved} of ${arm.trials}`), ''],
    row('tokens', ({ tokens }) => tokens, shortCount),
    row('cost', ({ costUsd }) => costUsd, dollars),
    row(
      'minutes',
      ({ durationMs }) => durationMs,
      (ms) => (ms / 60_000).toFixed(1),
    ),
  ];
}

function ratio(one: number | null, other: number | null): string {
  if (one === null || other === null || one === 0 || other === 0) return '';
  return `${(one / other).toFixed(1)} times with the step`;
}
