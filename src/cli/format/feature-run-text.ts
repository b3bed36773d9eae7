/** How the run of a feature looks in a terminal. */
import { formatDuration } from '../../base/format-duration.ts';
import { at, isoTime } from '../../base/clock.ts';
import { plural } from '../../base/text.ts';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import { componentMark } from '../../plan/graph-text.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { conflictLines } from './merge-queue-text.ts';
import { inProject } from './feature-text.ts';
import { joinCells, layOutTable } from './text-table.ts';

const STYLES = {
  pending: 'dim',
  implementing: 'cyan',
  testing: 'cyan',
  merging: 'cyan',
  review: 'yellow',
  complete: 'green',
  failed: 'red',
  stopped: 'yellow',
} as const;

export function allOf({ phases }: Pick<FeatureView, 'phases'>): readonly FeatureComponentView[] {
  return phases.flatMap(({ components }) => components);
}

export function formatFeatureRun(context: CliContext, view: FeatureView): string {
  const all = allOf(view);
  const columns = [{ title: '' }, { title: '' }, { title: '' }, { title: '' }];
  const { rows } = layOutTable(
    context.terminal,
    columns,
    all.map((one) => [markOf(one), one.id, inProject(one.name, one.project), wordOf(one)]),
  );
  let nth = 0;
  const lines = view.phases.flatMap(({ id, title, components }) => [
    paint(context, 'bold', `${id}  ${printable(title)}`),
    ...components.flatMap((one) => {
      const [mark = '', own = '', name = '', state = ''] = rows[nth] ?? [];
      nth += 1;
      const styled = paint(context, STYLES[one.state], state);
      const about = paint(context, 'dim', printable(aboutComponent(one)));
      const cells = [mark, paint(context, 'cyan', own), name, styled, about];
      return [`  ${joinCells(cells).trimEnd()}`, ...fileLines(context, one)];
    }),
  ]);
  const { feature, title, branch, landed, outcome } = view;
  const ended = outcome === null ? [] : [`${outcome.kind}: ${printable(outcome.reason)}`];
  const paused = view.paused
    ? [`Paused. Continue with: supervisor feature resume ${view.run}`]
    : [];
  return [
    `${paint(context, 'bold', feature)}  ${printable(title)}`,
    ...lines,
    `${landed.length} of ${plural(all.length, 'component')} on the branch ${branch}${whereLines(view)}`,
    ...restLines(view),
    ...conflictLines(context, view),
    ...paused,
    ...ended,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Each project has a branch of that name. */
function whereLines({ projects }: FeatureView): string {
  const paths = projects.map(({ name, path }) => `\n  ${name}  ${printable(path)}`).join('');
  return projects.length === 0 ? '' : ` of its project:${paths}`;
}

/** What a branch of a graph leaves out is complete, and was never done. */
function markOf({ state, result }: FeatureComponentView): string {
  if (state === 'stopped') return '■';
  return result === 'skipped' ? '-' : componentMark(state);
}

function wordOf({ state, result }: FeatureComponentView): string {
  return result === 'skipped' ? 'skipped' : state;
}

/** Nothing, as long as nothing is known. */
export function restLines({ rest }: Pick<FeatureView, 'rest'>): readonly string[] {
  if (rest === null) return [];
  const [soonest, latest] = [formatDuration(rest.soonestMs), formatDuration(rest.latestMs)];
  const range = soonest === latest ? soonest : `${soonest} to ${latest}`;
  // A screen shows times in UTC as those of its own zone.
  const wait =
    rest.waitsUntil === null
      ? []
      : [`  with a wait for a quota window of its agents until ${isoTime(at(rest.waitsUntil))}`];
  return [
    `About ${range} left, by the ${plural(rest.of, 'component')} that landed so far`,
    ...wait,
  ];
}

function aboutComponent({ why, run, commit, tries }: FeatureComponentView): string {
  const times = tries > 1 ? [`try ${tries}`] : [];
  const what =
    commit === null ? (run === null ? [] : [`run ${run}`]) : [`commit ${commit.slice(0, 10)}`];
  return [...what, ...times, ...(why === '' ? [] : [why])].join(', ');
}

const FILES_MAX = 5;

/** Declared against changed: what a person may want to correct in the file of the feature. */
function fileLines(
  context: CliContext,
  { undeclared, unchanged }: FeatureComponentView,
): readonly string[] {
  return [
    ...filesLine(
      paint(context, 'yellow', '!'),
      'changed files that it did not declare',
      undeclared,
    ),
    ...filesLine(paint(context, 'dim', '-'), 'declared and did not change', unchanged),
  ];
}

function filesLine(mark: string, what: string, files: readonly string[]): readonly string[] {
  return files.length === 0 ? [] : [`     ${mark} ${what}: ${fewOf(files)}`];
}

function fewOf(files: readonly string[]): string {
  const more = files.length > FILES_MAX ? ' …' : '';
  return `${files.slice(0, FILES_MAX).map(printable).join(', ')}${more}`;
}

/** The components whose state has changed, one line each. */
export function formatProgress(
  context: CliContext,
  before: FeatureView | undefined,
  after: FeatureView,
): string {
  const known = new Map(before === undefined ? [] : allOf(before).map((one) => [one.id, one]));
  return allOf(after)
    .filter((one) => {
      const last = known.get(one.id);
      const isNews = last?.state !== one.state || last.tries !== one.tries;
      return isNews && !(last === undefined && one.state === 'pending');
    })
    .map((one) => {
      const state = paint(context, STYLES[one.state], wordOf(one));
      const about = printable(aboutComponent(one));
      const open = one.state === 'pending' ? 'reopened' : state;
      return `${markOf(one)} ${inProject(one.name, one.project)}: ${open}${about === '' ? '' : paint(context, 'dim', ` (${about})`)}\n`;
    })
    .join('');
}

export function formatFeatureRuns(context: CliContext, views: readonly FeatureView[]): string {
  if (views.length === 0)
    return 'No feature was started here. Start one with: supervisor feature start FILE\n';
  const columns = [
    { title: 'run' },
    { title: 'feature' },
    { title: 'state' },
    { title: 'landed' },
    { title: 'title', least: 20 },
  ];
  const cells = views.map((view) => {
    const { run, feature, state, landed, title } = view;
    return [run, feature, state, `${landed.length}/${allOf(view).length}`, printable(title)];
  });
  const { head, rows } = layOutTable(context.terminal, columns, cells);
  const lines = [paint(context, 'dim', joinCells(head)), ...rows.map(joinCells)];
  return lines.map((line) => `${line}\n`).join('');
}
