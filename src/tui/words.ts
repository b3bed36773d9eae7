/** Times, sums and names, as short as a table needs them. */
import { formatDuration } from '../base/format-duration.ts';
import { oneLine } from '../base/text.ts';
import { ownSpending } from '../protocol/views/own-spending.ts';
import type { RunView } from '../protocol/views/run-view.ts';

const NAME_CHARS_MAX = 300;

export function nameOf({ name, task }: Pick<RunView, 'name' | 'task'>): string {
  return name ?? oneLine(task.slice(0, NAME_CHARS_MAX));
}

export function projectOf({ project }: Pick<RunView, 'project'>): string {
  return project.split('/').findLast((part) => part !== '') ?? project;
}

export function costOf({ budget }: Pick<RunView, 'budget'>): string {
  const { usd, tokens } = ownSpending(budget);
  if (usd > 0) return `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`;
  return tokens === 0 ? '' : `${shortCount(tokens)} tok`;
}

function shortCount(value: number): string {
  if (value < 1000) return String(value);
  return value < 1_000_000 ? `${Math.round(value / 1000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

export function ageOf(from: number, to: number): string {
  return formatDuration(Math.max(0, to - from));
}
