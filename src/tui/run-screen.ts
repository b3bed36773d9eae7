/** One run: its output as it comes, why it stands where it does, its bars on a time axis, and its facts. */
import { formatClockTime } from '../base/format-time.ts';
import { lineText } from '../protocol/views/board-state.ts';
import { runStatus, statusText } from '../protocol/views/run-status.ts';
import type { TimelineBar } from '../protocol/views/timeline.ts';
import { foldTimeline } from '../protocol/views/timeline.ts';
import { cut } from './foot-lines.ts';
import type { Look } from './look.ts';
import { markOf } from './look.ts';
import type { ScreenLine, Style } from './screen-line.ts';
import { leftAndRight, line, pad, span, wrap } from './screen-line.ts';
import type { RunScreen, TopState } from './top-state.ts';
import { questionOf, rowOf, TABS } from './top-state.ts';
import { ageOf, costOf, nameOf, projectOf } from './words.ts';

/** From here on, output and story stand side by side. */
const WIDE_COLUMNS = 120;

export function runLines(
  state: TopState,
  screen: RunScreen,
  look: Look,
  room: number,
): readonly ScreenLine[] {
  const head = headLines(state, screen, look, room);
  const left = room - head.length;
  if (screen.tab === 'output' && state.columns >= WIDE_COLUMNS && !look.isPlain) {
    const half = Math.floor(state.columns / 2) - 2;
    const story = storyLines(state, half, 0, left);
    const output = outputLines(state, screen.scroll, left);
    const edge = span(` ${look.marks.edge} `, 'dim');
    const rows = Math.max(story.length, output.length);
    return [
      ...head,
      ...Array.from({ length: rows }, (_, row) => [
        ...pad(output[row] ?? [], half),
        edge,
        ...(story[row] ?? []),
      ]),
    ];
  }
  return [...head, ...tabLines(state, screen, look, left)];
}

function tabLines(
  state: TopState,
  { tab, scroll }: RunScreen,
  look: Look,
  room: number,
): readonly ScreenLine[] {
  if (tab === 'output') return outputLines(state, scroll, look.isPlain ? 30 : room);
  if (tab === 'story') return storyLines(state, state.columns, scroll, room);
  if (tab === 'timeline') return timelineLines(state, look).slice(scroll).slice(0, room);
  return factLines(state, scroll, look.isPlain ? 30 : room);
}

/** The other lines of the head, and some of what is below. */
const HEAD_ROWS = 7;

function headLines(
  state: TopState,
  screen: RunScreen,
  look: Look,
  room: number,
): readonly ScreenLine[] {
  const view = rowOf(state, screen.run)?.view;
  if (view === undefined)
    return [
      line(span(`Run ${screen.run}`, 'bold'), span('  is not in the list of the owner', 'dim')),
    ];
  const question = questionOf(state, screen.run);
  const [mark, style] = markOf(runStatus(view), question !== undefined, look);
  const age = look.isPlain ? '' : ageOf(view.submittedAt, view.endedAt ?? state.now);
  const attempt = view.lastAttempt === 0 ? '' : `, attempt ${view.lastAttempt}`;
  const title = line(
    span(`${mark} `, style),
    span(nameOf(view), 'bold'),
    span(`  ${view.id}`, 'dim'),
  );
  const facts = [
    question === undefined ? statusText(view) : 'waits for you',
    `${view.agent ?? 'no agent'}${attempt}`,
    projectOf(view),
    costOf(view),
    age,
  ];
  const gate = view.gate === null ? '' : `  gate ${view.gate.name} ${view.gate.verdict}`;
  const tabs = TABS.map((tab, nth) =>
    span(`${nth + 1} ${tab}  `, tab === screen.tab ? 'bold' : 'dim'),
  );
  return [
    title,
    line(
      span(facts.filter((one) => one !== '').join('  ')),
      span(
        gate,
        view.gate?.verdict === 'passed'
          ? 'green'
          : view.gate?.verdict === 'running'
            ? 'dim'
            : 'red',
      ),
    ),
    ...(question === undefined
      ? []
      : question.approval === undefined
        ? cut(wrap(`asks: ${question.question}`, state.columns, 'yellow'), room - HEAD_ROWS)
        : [line(span('asks for an approval: d shows the change', 'yellow'))]),
    look.isPlain ? line(`tab: ${screen.tab}`) : line(...tabs),
  ];
}

/** The last ones, or those before them. */
function fromEnd<Row>(rows: readonly Row[], scroll: number, room: number): readonly Row[] {
  const end = Math.max(Math.min(room, rows.length), rows.length - scroll);
  return rows.slice(Math.max(0, end - room), end);
}

const OUTPUT_STYLES: Readonly<Record<string, Style>> = {
  stdout: 'plain',
  stderr: 'yellow',
  calls: 'dim',
};

function outputLines({ board }: TopState, scroll: number, room: number): readonly ScreenLine[] {
  const { open } = board;
  if (open === null || open.tail.length === 0)
    return [line(span(open?.events.length === 0 ? 'Loading …' : 'No output yet.', 'dim'))];
  // Only what is visible is drawn: the output may be long.
  const rows = fromEnd(open.tail, scroll, room);
  return rows.map((one) => line(span(lineText(one), OUTPUT_STYLES[one.stream] ?? 'plain')));
}

function storyLines(
  { why, board, now }: TopState,
  columns: number,
  scroll: number,
  room: number,
): readonly ScreenLine[] {
  if (why === null || why.run !== board.open?.id) return [line(span('Loading the story …', 'dim'))];
  const lines = why.chain.flatMap(({ at, what, evidence }) => [
    ...wrap(`${formatClockTime(at, now)}  ${what}`, columns, 'plain', 10),
    ...evidence.flatMap(({ source, line: quoted }) =>
      wrap(`${' '.repeat(10)}${source}: ${quoted}`, columns, 'dim', 12),
    ),
  ]);
  const next = why.next === null ? [] : wrap(why.next, columns, 'yellow');
  const all = [...lines, ...next];
  const begin = Math.min(scroll, Math.max(0, all.length - room));
  return all.slice(begin, Number.isFinite(room) ? begin + room : undefined);
}

const MARK_STYLES: Readonly<Record<TimelineBar['mark'], Style>> = {
  ...{ open: 'cyan', good: 'green', bad: 'red', limit: 'yellow', lost: 'yellow', plain: 'dim' },
};
const BAR_NAME = 18;
const BAR_NOTE = 26;

function timelineLines({ board, now, columns }: TopState, look: Look): readonly ScreenLine[] {
  const events = board.open?.events ?? [];
  const bars = events.reduce(foldTimeline, [] as readonly TimelineBar[]);
  if (bars.length === 0) return [line(span('Nothing has begun yet.', 'dim'))];
  const from = events[0]?.at ?? now;
  const to = Math.max(events.find(({ type }) => type === 'run.ended')?.at ?? now, from + 1000);
  const track = Math.max(10, columns - BAR_NAME - BAR_NOTE - 2);
  return bars.map((bar) => {
    const name = bar.command === 'gate' ? `gate ${bar.label}` : bar.key;
    const took = ageOf(bar.begunAt, bar.endedAt ?? now);
    const note = [
      look.isPlain && bar.endedAt === null ? '' : took,
      bar.command === 'attempt' || bar.command === 'wait' ? bar.label : '',
      bar.note,
    ]
      .filter(Boolean)
      .join(' ');
    if (look.isPlain) return line(`${name}: ${bar.mark}, ${note}`);
    const begin = Math.min(track - 1, Math.floor((track * (bar.begunAt - from)) / (to - from)));
    const length = Math.max(
      1,
      Math.min(
        track - begin,
        Math.round((track * ((bar.endedAt ?? now) - bar.begunAt)) / (to - from)),
      ),
    );
    const drawn =
      look.marks.bar.repeat(length - (bar.endedAt === null ? 1 : 0)) +
      (bar.endedAt === null ? look.marks.arrow : '');
    return [
      ...pad(line(span(name)), BAR_NAME),
      ...pad(line(' '.repeat(begin + 1), span(drawn, MARK_STYLES[bar.mark])), track + 1),
      ...line(span(` ${note}`, 'dim')),
    ];
  });
}

function factLines(
  { board, now, columns, factText }: TopState,
  scroll: number,
  room: number,
): readonly ScreenLine[] {
  const rows = fromEnd(board.open?.events ?? [], scroll, room);
  if (rows.length === 0) return [line(span('Loading …', 'dim'))];
  return rows.map((event) =>
    leftAndRight(
      line(span(`${formatClockTime(event.at, now)}  `, 'dim'), span(factText(event))),
      line(span(`#${event.seq}`, 'dim')),
      columns,
    ),
  );
}
