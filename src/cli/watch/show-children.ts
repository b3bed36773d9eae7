/** The runs that a run started, below the details of that run. */
import { truncate } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import { statusText } from '../../protocol/views/run-status.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { paintState } from '../format/status-table.ts';

const CHILDREN_SHOWN = 1000;
const TASK_CHARS_MAX = 100;

/** The runs that it started, and those that these started, each level indented. */
export async function showChildren(
  context: CliContext,
  client: Pick<Client, 'status'>,
  { id, children, project }: RunView,
  depth = 1,
): Promise<string> {
  if (children === 0) return '';
  const rows = await client.status({ parent: id, limit: CHILDREN_SHOWN });
  const lines = rows.toReversed().map(async ({ view }) => {
    // In the task of a component, this line is followed by what its agents have to know.
    const [task = ''] = view.task.split('\n', 1);
    const where =
      view.project === project ? [] : [paint(context, 'dim', `in ${printable(view.project)}`)];
    const state = paintState(context, view, statusText(view));
    const text = [view.id, state, printable(truncate(task, TASK_CHARS_MAX)), ...where].join('  ');
    const label = paint(context, 'dim', (depth === 1 ? 'child' : '').padEnd(10));
    const line = `${label} ${'  '.repeat(depth - 1)}${text}\n`;
    return line + (await showChildren(context, client, view, depth + 1));
  });
  return (await Promise.all(lines)).join('');
}
