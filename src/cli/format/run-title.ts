/** The first line of a run on the screen: its id, and the first line of its task. */
import { truncate } from '../../base/text.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const TASK_CHARS_MAX = 100;

export function runTitle(context: CliContext, { id, task }: RunView): string {
  const [line = ''] = task.split('\n', 1);
  const shown = printable(truncate(line, TASK_CHARS_MAX));
  return `${paint(context, 'bold', `Run ${id}`)}  ${shown}\n`;
}
