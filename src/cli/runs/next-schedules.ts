/** The runs that start at set times, as `status` lists them: when each is due next. */
import { formatDate } from '../../base/format-time.ts';
import { oneLine, truncate } from '../../base/text.ts';
import type { ScheduleView } from '../../protocol/views/schedule-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const LISTED_MAX = 5;
const TASK_CHARS_MAX = 60;

/** Empty if there is none. The next one comes first. */
export function describeSchedules(context: CliContext, schedules: readonly ScheduleView[]): string {
  if (schedules.length === 0) return '';
  const sorted = schedules.toSorted(
    (one, other) => (one.nextAt ?? Infinity) - (other.nextAt ?? Infinity),
  );
  const more = sorted.length - LISTED_MAX;
  return [
    `${paint(context, 'bold', 'Scheduled:')}\n`,
    ...sorted.slice(0, LISTED_MAX).map(entry),
    ...(more <= 0 ? [] : [`  … and ${more} more. List them with: supervisor schedule\n`]),
  ].join('');
}

function entry({ name, nextAt, task }: ScheduleView): string {
  const when = nextAt === null ? 'never again' : formatDate(nextAt);
  const words = truncate(oneLine(printable(task)), TASK_CHARS_MAX);
  return `  ${when}  ${printable(name)}  ${words}\n`;
}
