/** What is left of the budgets of a run that a person resumes, and whether they have resumed it before. */
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/text.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { printable } from '../cli-context.ts';
import { wasLate } from './choose-resumable.ts';
import { limitLines } from '../format/limit-lines.ts';

/** Empty if nothing is limited, the run is resumed for the first time, and its deadline did not end it. */
export function describeLeft(before: StatusRow, row: StatusRow, now: number): string {
  const again =
    before.resumedAs === undefined
      ? ''
      : `Run ${before.view.id} was resumed before, as ${before.resumedAs}. What that run has spent counts too.\n`;
  const budgets = limitLines(row, now).filter(([label]) => label === 'budget');
  const left = budgets.map(([, text]) => `Budget: ${text}\n`);
  return printable(`${again}${left.join('')}${sameDeadline(before, row)}`);
}

/** The person may not know that a deadline ends this run in the same way. */
function sameDeadline({ view, limits: old }: StatusRow, { limits }: StatusRow): string {
  const deadlineMs = limits?.deadlineMs ?? null;
  if (deadlineMs === null || deadlineMs !== old?.deadlineMs || !wasLate(view)) return '';
  return `The deadline is ${formatDuration(deadlineMs)} for each attempt, and it ended run ${view.id}. For more time, stop this run and give resume a --deadline.\n`;
}

/** A person who gives one run its key is told of the other runs that wait for one. Empty: there is none. */
export function describeOtherKeyless(run: string, active: readonly RunView[]): string {
  const waits = active.filter(({ open }) => open.some(({ about }) => about === 'keys'));
  const others = waits.filter(({ id }) => id !== run);
  if (others.length === 0 || others.length === waits.length) return '';
  const [verb, all] = others.length === 1 ? ['waits', 'it'] : ['wait', 'all of them'];
  return `${plural(others.length, 'other run')} ${verb} for a key too. To resume ${all}: supervisor resume --all --everywhere\n`;
}
