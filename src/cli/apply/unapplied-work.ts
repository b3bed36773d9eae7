/** Finished work that its person has not applied yet: it waits for nothing else, so no list of active runs shows it. */
import { defined } from '../../base/defined.ts';
import { oneLine, truncate } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** Older work has probably been dropped. */
const AGE_MS_MAX = 7 * 24 * 3_600_000;
/** So many of the newest ended runs are looked at. */
const SEARCHED_MAX = 100;
const LISTED_MAX = 5;
const TASK_CHARS_MAX = 40;

/** Newest first. `project`: only its runs. */
export async function findUnapplied(
  client: Client,
  now: number,
  project?: string,
): Promise<readonly StatusRow[]> {
  const filter = { ended: true, limit: SEARCHED_MAX, ...defined({ project }) };
  return (await client.status(filter)).filter((row) => isUnapplied(row, now));
}

/** For a person who looked for work in a run that has none. */
export async function hintUnapplied(
  context: CliContext,
  client: Client,
  run: string,
): Promise<void> {
  const { project } = await client.run(run);
  const found = await findUnapplied(client, context.clock.now(), project);
  const others = found.filter(({ view }) => view.id !== run);
  context.err(describeUnapplied(context, others));
}

export function isUnapplied({ view, applied }: StatusRow, now: number): boolean {
  const { outcome, workFiles, endedAt } = view;
  const isDone = outcome?.kind === 'succeeded' || outcome?.kind === 'unverified';
  if (!isDone || workFiles === 0 || applied !== null) return false;
  return endedAt !== null && now - endedAt <= AGE_MS_MAX;
}

/** Empty if there is none. */
export function describeUnapplied(context: CliContext, rows: readonly StatusRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.slice(0, LISTED_MAX).map(({ view: { id, task, project } }) => {
    const what = truncate(oneLine(printable(task)), TASK_CHARS_MAX);
    const where = printable(project.split('/').at(-1) ?? '');
    return `  ${paint(context, 'cyan', id)}  ${what} (${where}) → supervisor diff ${id}\n`;
  });
  const more = rows.length - lines.length;
  return [
    `${paint(context, 'yellow', 'Finished, not applied:')}\n`,
    ...lines,
    ...(more === 0 ? [] : [`  … and ${more} more. List them with: supervisor status --all\n`]),
  ].join('');
}
