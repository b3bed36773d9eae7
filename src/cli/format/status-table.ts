/** The table of `status`: one line per run, and a second one with the reason for its state. */
import { formatDuration } from '../../base/format-duration.ts';
import { formatSpan, withLocalTimes } from '../../base/format-time.ts';
import { oneLine, plural, truncate } from '../../base/text.ts';
import { adviceToAnswerRun } from '../../protocol/views/answer-advice.ts';
import { runStatus, statusText } from '../../protocol/views/run-status.ts';
import { appliedCell } from '../../protocol/views/applied-view.ts';
import { ownSpending } from '../../protocol/views/budget-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { dollars } from '../../reports/cost-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const WORKING: ReadonlySet<string> = new Set([
  'queued',
  'preparing',
  'running',
  'verifying',
  'finalizing',
]);
const WAITING: ReadonlySet<string> = new Set([
  'waiting',
  'cooling',
  'retrying',
  'stopping',
  'awaiting_input',
  'paused',
  'unverified',
]);
/** These states need no reason: the work is there. */
const DONE: ReadonlySet<string> = new Set(['succeeded', 'unverified']);
const CELL_CHARS_MAX = 22;
/** Two dates with their times. */
const TIME_CHARS_MAX = 33;
const TASK_CHARS_MIN = 10;
const GATE_MARKS = { running: '…', passed: '✔', failed: '✖', unable: '✖' } as const;

type Column = {
  readonly title: string;
  readonly text: (row: StatusRow) => string;
  readonly isRight?: true;
  readonly charsMax?: number;
};

type Cells = {
  readonly title: string;
  readonly name: string;
  readonly cells: readonly string[];
  readonly width: number;
};

/**
 * A column without any text is left out. The task gets the rest of the line. If an ended run is listed, each run has
 * its times, which move to the second line if the first one has no room for them.
 */
export function formatStatusTable(context: CliContext, rows: readonly StatusRow[]): string {
  const now = context.clock.now();
  const columns: readonly Column[] = [
    { title: 'RUN', text: ({ view }) => view.id },
    { title: 'STATE', text: ({ view }) => statusText(view) },
    { title: 'AGENT', text: ({ view }) => view.name ?? view.agent ?? '' },
    { title: 'PROJECT', text: ({ view }) => view.project.split('/').at(-1) ?? '' },
    { title: 'GATE', text: ({ view }) => gateText(view) },
    { title: 'COST', text: ({ view }) => costText(view), isRight: true },
    {
      title: 'APPLIED',
      text: ({ applied }) => (applied === null ? '' : appliedCell(applied, now)),
    },
    { title: 'AGE', text: ({ view }) => ageText(view, now), isRight: true },
  ];
  const time: Column = {
    title: 'TIME',
    text: ({ view }) => formatSpan(view.submittedAt, view.endedAt, now, context.timeZone),
    charsMax: TIME_CHARS_MAX,
  };
  const hasTimes = rows.some(({ view }) => view.endedAt !== null);
  const withTimes = layOut(context, hasTimes ? [...columns, time] : columns, rows);
  const isTight = hasTimes && roomFor(context, withTimes) < TASK_CHARS_MIN;
  const shown = isTight ? layOut(context, columns, rows) : withTimes;
  const room = Math.max(TASK_CHARS_MIN, roomFor(context, shown));
  const head = shown.map(({ title }) => title);
  const lines = rows.flatMap((row, index) => {
    const cells = shown.map(({ name, cells: all }) => {
      const cell = all[index] ?? '';
      if (name === 'RUN') return paint(context, 'cyan', cell);
      return name === 'STATE' ? paintState(context, row.view, cell) : cell;
    });
    const task = truncate(oneLine(printable(row.view.task)), room);
    const times = isTight ? time.text(row) : '';
    const below = [...secondLine(context, row, times), ...todoLine(context, row)];
    return [[...cells, task].join('  '), ...below];
  });
  const titles = context.terminal.isTty
    ? [...needsYouLine(context, rows), paint(context, 'dim', [...head, 'TASK'].join('  '))]
    : [];
  return [...titles, ...lines].map((line) => `${line}\n`).join('');
}

/** How many of the runs wait for the user. */
function needsYouLine(context: CliContext, rows: readonly StatusRow[]): readonly string[] {
  const count = rows.filter(({ view }) => adviceToAnswerRun(view) !== null).length;
  if (count === 0) return [];
  return [paint(context, 'yellow', plural(count, 'run needs you', 'runs need you'))];
}

/** What the user types so that the run continues. It is never cut, so that it can be copied. */
function todoLine(context: CliContext, { view }: StatusRow): readonly string[] {
  const advice = adviceToAnswerRun(view);
  if (advice === null) return [];
  return [`${' '.repeat(view.id.length + 2)}${paint(context, 'dim', '→')} ${printable(advice)}`];
}

function layOut(
  { terminal }: CliContext,
  columns: readonly Column[],
  rows: readonly StatusRow[],
): readonly Cells[] {
  return columns.flatMap(({ title: name, text, isRight, charsMax = CELL_CHARS_MAX }) => {
    const cells = rows.map((row) => truncate(oneLine(printable(text(row))), charsMax));
    if (cells.every((cell) => cell === '')) return [];
    const title = terminal.isTty ? name : '';
    const width = Math.max(title.length, ...cells.map((cell) => cell.length));
    const pad = (cell: string): string =>
      isRight === true ? cell.padStart(width) : cell.padEnd(width);
    return [{ title: pad(title), name, cells: cells.map(pad), width }];
  });
}

/** How many characters are left for the task. */
function roomFor({ terminal }: CliContext, columns: readonly Cells[]): number {
  return terminal.width - columns.reduce((sum, { width }) => sum + width + 2, 0);
}

function secondLine(
  context: CliContext,
  { view, reason }: StatusRow,
  times: string,
): readonly string[] {
  const why = reason === null || DONE.has(runStatus(view)) ? '' : oneLine(printable(reason));
  const text = [times, withLocalTimes(why, context.clock.now())].filter(Boolean).join('  ');
  if (text === '') return [];
  const indent = ' '.repeat(view.id.length + 2);
  const room = Math.max(TASK_CHARS_MIN, context.terminal.width - indent.length);
  return [`${indent}${paint(context, 'dim', truncate(text, room))}`];
}

function gateText({ gate }: RunView): string {
  return gate === null ? '' : `${GATE_MARKS[gate.verdict]} ${gate.name}`;
}

/** Without a price, the tokens. If only some calls have a price, the cost is a minimum. */
function costText({ budget }: RunView): string {
  const { usd, tokens, unpricedCalls } = ownSpending(budget);
  if (usd > 0) return `${unpricedCalls > 0 ? '≥' : ''}${dollars(usd)}`;
  if (tokens === 0) return '';
  return tokens < 1000 ? `${tokens} tok` : `${(tokens / 1000).toFixed(1)}k tok`;
}

function ageText({ submittedAt, endedAt }: RunView, now: number): string {
  return formatDuration((endedAt ?? now) - submittedAt);
}

/** The state, or a longer text about it, in the color of the state. */
export function paintState(context: CliContext, view: RunView, text: string): string {
  const status = runStatus(view);
  if (status === 'succeeded') return paint(context, 'green', text);
  if (WORKING.has(status)) return text;
  return paint(context, WAITING.has(status) ? 'yellow' : 'red', text);
}
