/** The table of `status`: one line per run, and a second one with the reason for its state. */
import { formatDuration } from '../../base/format-duration.ts';
import { formatSpan, withLocalTimes } from '../../base/format-time.ts';
import { joinLines, keepEnd, oneLine, plural } from '../../base/text.ts';
import { cutToWidth } from '../../host/output/fit-lines.ts';
import { describeAccepted } from '../../protocol/words/accepted-gate.ts';
import { adviceToAnswerRun } from '../../protocol/views/question-words.ts';
import { runStatus, statusText } from '../../protocol/views/run-status.ts';
import { appliedCell } from '../../protocol/views/applied-view.ts';
import { ownSpending } from '../../protocol/views/own-spending.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { dollars } from '../../reports/cost-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { TableColumn } from './text-table.ts';
import { joinCells, layOutTable, placesThatFit } from './text-table.ts';

const WORKING: ReadonlySet<string> = new Set([
  'queued',
  'preparing',
  'running',
  'taken_over',
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
/** Two dates with their times, and how long it took. */
const TIME_CHARS_MAX = 43;
const TASK_CHARS_MIN = 10;
/** Other columns are left out for so much of the task. Of an ended run the task matters most. */
const TASK_CHARS_WANTED = { active: 14, ended: 24 };
/** What the break between two words may leave empty. */
const BREAK_CHARS = 12;
const GATE_MARKS = { running: '…', passed: '✔', failed: '✖', unable: '✖' } as const;

type Column = TableColumn & {
  readonly text: (row: StatusRow) => string;
  readonly charsMax?: number;
};

/**
 * A column without any text is left out. On a terminal, the task gets the rest of the line. If an ended run is listed,
 * each run has its times, which move to the second line if the first one has no room for them. Then a terminal also
 * groups the runs of several projects.
 */
export function formatStatusTable(context: CliContext, given: readonly StatusRow[]): string {
  const now = context.clock.now();
  const { isTty } = context.terminal;
  const hasTimes = given.some(({ view }) => view.endedAt !== null);
  const isGrouped = isTty && hasTimes && new Set(given.map(({ view }) => view.project)).size > 1;
  const rows = isGrouped ? byProject(given) : given;
  const columnsOfAll: readonly Column[] = [
    { title: 'RUN', text: ({ view }) => view.id },
    { title: 'STATE', text: ({ view }) => statusText(view) },
    { title: 'AGENT', text: ({ view }) => view.name ?? view.agent ?? '', least: 6 },
    {
      title: 'PROJECT',
      text: ({ view }) => view.project.split('/').at(-1) ?? '',
      least: 7,
      canHide: true,
    },
    { title: 'GATE', text: ({ view }) => gateText(view), least: 6, canHide: true },
    { title: 'COST', text: ({ view }) => costText(view), isRight: true, canHide: true },
    {
      title: 'APPLIED',
      text: ({ applied }) => (applied === null ? '' : appliedCell(applied, now)),
      least: 7,
    },
    { title: 'AGE', text: ({ view }) => ageText(view, now), isRight: true },
  ];
  const all = columnsOfAll.filter(({ title }) => !isGrouped || title !== 'PROJECT');
  const time: Column = {
    title: 'TIME',
    text: ({ view }) => timeText(view, now, context.timeZone),
    charsMax: TIME_CHARS_MAX,
  };
  const withTimes = fillColumns(context, hasTimes ? [...all, time] : all, rows);
  const isTight = hasTimes && !hasRoomFor(context, time, withTimes);
  const { columns, cells } = isTight ? fillColumns(context, all, rows) : withTimes;
  const least = TASK_CHARS_WANTED[hasTimes ? 'ended' : 'active'];
  const wanted = columns.map((one) => (one.name === 'TASK' ? { ...one, least } : one));
  const places = placesThatFit(context.terminal, wanted, cells);
  const table = layOutTable(
    context.terminal,
    places.flatMap((place) => columns[place] ?? []),
    cells.map((row) => places.map((place) => row[place] ?? '')),
  );
  const lines = rows.flatMap((row, index) => {
    const shown = table.rows[index]?.map((text, nth) => {
      const name = columns[places[nth] ?? -1]?.name;
      if (name === 'RUN') return paint(context, 'cyan', text);
      return name === 'STATE' ? paintState(context, row.view, text) : text;
    });
    const below = [
      ...secondLine(context, row, isTight ? time.text(row) : ''),
      ...todoLine(context, row),
    ];
    const isFirst = row.view.project !== rows[index - 1]?.view.project;
    const heading = isGrouped && isFirst ? projectLines(context, row.view, index) : [];
    return [...heading, joinCells(shown ?? []), ...below];
  });
  const titles = isTty
    ? [...needsYouLine(context, rows), paint(context, 'dim', joinCells(table.head))]
    : [];
  return [...titles, ...lines].map((line) => `${line}\n`).join('');
}

/** The projects in the order of their first runs. */
function byProject(rows: readonly StatusRow[]): readonly StatusRow[] {
  const projects = [...new Set(rows.map(({ view }) => view.project))];
  return projects.flatMap((project) => rows.filter(({ view }) => view.project === project));
}

function projectLines(context: CliContext, { project }: RunView, index: number): readonly string[] {
  const name = paint(context, 'bold', printable(project));
  return index === 0 ? [name] : ['', name];
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

type Filled = {
  readonly columns: readonly (TableColumn & { readonly name: string })[];
  readonly cells: readonly (readonly string[])[];
};

/** The columns that have text, and the task. */
function fillColumns(
  { terminal: { isTty } }: CliContext,
  columns: readonly Column[],
  rows: readonly StatusRow[],
): Filled {
  const cell = ({ text, charsMax = CELL_CHARS_MAX }: Column, row: StatusRow): string => {
    const whole = oneLine(printable(text(row)));
    return isTty ? cutToWidth(whole, charsMax) : whole;
  };
  const task: Column = {
    title: 'TASK',
    text: ({ view }) => view.task,
    least: TASK_CHARS_MIN,
    charsMax: Infinity,
  };
  const filled = [...columns, task].filter((column) =>
    rows.some((row) => cell(column, row) !== ''),
  );
  return {
    // A program that reads the table needs no titles, so they do not widen its columns.
    columns: filled.map((one) => ({ ...one, name: one.title, title: isTty ? one.title : '' })),
    cells: rows.map((row) => filled.map((column) => cell(column, row))),
  };
}

/** Whether the column fits while only the task is cut. */
function hasRoomFor(
  { terminal }: CliContext,
  { title }: Column,
  { columns, cells }: Filled,
): boolean {
  const probes = columns.map((column): TableColumn => {
    if (column.name === title) return { title, canHide: true };
    return column.name === 'TASK' ? column : { title: column.title };
  });
  const place = columns.findIndex(({ name }) => name === title);
  return placesThatFit(terminal, probes, cells).includes(place);
}

function secondLine(
  context: CliContext,
  { view, reason }: StatusRow,
  times: string,
): readonly string[] {
  const because = reason === null || DONE.has(runStatus(view)) ? '' : joinLines(printable(reason));
  const accepted = oneLine(printable(describeAccepted(view.accepted)));
  const why = [because, accepted].filter(Boolean).join('; ');
  if (times === '' && why === '') return [];
  const indent = ' '.repeat(view.id.length + 2);
  const { isTty, width } = context.terminal;
  // It may take two lines, or more if its end says what to do.
  const room = Math.max(
    TASK_CHARS_MIN,
    2 * (width - indent.length) - BREAK_CHARS - (times === '' ? 0 : times.length + 2),
  );
  const words = withLocalTimes(why, context.clock.now());
  const shown = isTty ? keepEnd(words, room, cutToWidth) : words;
  return [`${indent}${paint(context, 'dim', [times, shown].filter(Boolean).join('  '))}`];
}

/** A red gate that a person accepted stays red, also after another gate was green. */
function gateText({ gate, accepted }: RunView): string {
  const [first] = accepted;
  if (first !== undefined) return `✖ ${first.gate}, accepted`;
  return gate === null ? '' : `${GATE_MARKS[gate.verdict]} ${gate.name}`;
}

/** Without a price, the tokens. If only some calls have a price, the cost is a minimum. */
function costText({ budget }: RunView): string {
  const { usd, tokens, unpricedCalls } = ownSpending(budget);
  if (usd > 0) return `${unpricedCalls > 0 ? '≥' : ''}${dollars(usd)}`;
  if (tokens === 0) return '';
  return tokens < 1000 ? `${tokens} tok` : `${(tokens / 1000).toFixed(1)}k tok`;
}

/** Since its submission, as `age:` in a query. How long it took is in its times. */
function ageText({ submittedAt }: RunView, now: number): string {
  return formatDuration(now - submittedAt);
}

function timeText({ submittedAt, endedAt }: RunView, now: number, zone?: string): string {
  const span = formatSpan(submittedAt, endedAt, now, zone);
  return endedAt === null ? span : `${span} (${formatDuration(endedAt - submittedAt)})`;
}

/** The state, or a longer text about it, in the color of the state. */
export function paintState(context: CliContext, view: RunView, text: string): string {
  const status = runStatus(view);
  if (status === 'succeeded') return paint(context, 'green', text);
  if (WORKING.has(status)) return text;
  return paint(context, WAITING.has(status) ? 'yellow' : 'red', text);
}
