/** Runs that ended without success a short time ago: no list of active runs shows them, and they wait for a decision. */
import { withLocalTimes } from '../../base/format-time.ts';
import { keepEnd, oneLine, truncate } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** A weekend and a morning. Older ones are history: `status --all`. */
const AGE_MS_MAX = 3 * 24 * 3_600_000;
/** So many of the newest ended runs are looked at. */
const SEARCHED_MAX = 100;
const LISTED_MAX = 5;
const TASK_CHARS_MAX = 60;
/** It may take two lines: the words at its end often say what to do. */
const REASON_CHARS_MAX = 130;

/** A run that its person stopped needs no word about it. */
const UNFINISHED: ReadonlySet<RunOutcome['kind']> = new Set([
  'failed',
  'blocked',
  'exhausted',
  'refused',
]);

/** Newest first. */
export async function findUnfinished(client: Client, now: number): Promise<readonly StatusRow[]> {
  return unfinished(await client.status({ ended: true, limit: SEARCHED_MAX }), now);
}

/** `rows`: ended runs. A run that was resumed, or whose task a later run has done, needs nothing. */
export function unfinished(rows: readonly StatusRow[], now: number): readonly StatusRow[] {
  return rows.filter(({ view, applied, resumedAs }) => {
    const { outcome, endedAt, parent } = view;
    if (outcome === null || !UNFINISHED.has(outcome.kind)) return false;
    if (endedAt === null || now - endedAt > AGE_MS_MAX) return false;
    // The run that started it reports about it.
    if (parent !== null || applied !== null || resumedAs !== undefined) return false;
    return !rows.some((later) => repeats(later, view));
  });
}

function repeats({ view }: StatusRow, { task, project, submittedAt }: StatusRow['view']): boolean {
  return view.submittedAt > submittedAt && view.task === task && view.project === project;
}

/** Empty if there is none. */
export function describeUnfinished(context: CliContext, rows: readonly StatusRow[]): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, LISTED_MAX);
  const more = rows.length - shown.length;
  return [
    `${paint(context, 'red', 'Ended without success:')}\n`,
    ...shown.map((row) => entry(context, row)),
    ...(more === 0 ? [] : [`  … and ${more} more. List them with: supervisor status is:bad\n`]),
  ].join('');
}

function entry(context: CliContext, { view, reason }: StatusRow): string {
  const { id, task, project, outcome } = view;
  const where = printable(project.split('/').at(-1) ?? '');
  const indent = ' '.repeat(id.length + 4);
  const what = truncate(oneLine(printable(`${where}: ${task}`)), TASK_CHARS_MAX);
  const why = withLocalTimes(printable(reason ?? ''), context.clock.now());
  const ended = keepEnd(`${outcome?.kind ?? ''}: ${why}`, REASON_CHARS_MAX);
  return [
    `  ${paint(context, 'cyan', id)}  ${what}\n`,
    `${indent}${paint(context, 'dim', ended)}\n`,
    `${indent}→ supervisor why ${id}\n`,
  ].join('');
}
