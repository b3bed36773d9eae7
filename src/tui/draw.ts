/** The whole screen as lines: a heading, the screen, what was said last, and the keys. Pure. */
import { plural } from '../base/text.ts';
import { actionsFor } from './actions.ts';
import { footLines, isLong } from './foot-lines.ts';
import { helpLines } from './help-lines.ts';
import { listLines } from './list-screen.ts';
import type { Look } from './look.ts';
import { reviewLines } from './review-screen.ts';
import { runLines } from './run-screen.ts';
import type { ScreenLine } from './screen-line.ts';
import { encode, fit, greyed, leftAndRight, line, span, textOf } from './screen-line.ts';
import { listed } from './selected-rows.ts';
import type { TopState } from './top-state.ts';
import { shown } from './top-state.ts';
import { treeScreenLines } from './tree-screen.ts';

const ROWS_MIN = 8;
const COLUMNS_MIN = 30;
const NAME_COLUMNS_MIN = 72;
/** The heading, the notice and the keys. */
const FIXED_ROWS = 3;

export function draw(state: TopState, look: Look): readonly string[] {
  const { columns, rows } = state;
  if (columns < COLUMNS_MIN || rows < ROWS_MIN)
    return [`Too small: ${columns}×${rows}.`.slice(0, columns)];
  const room = look.isPlain ? Infinity : rows - FIXED_ROWS;
  const foot = state.isHelp ? [] : footLines(state, look, room);
  const rest = room - foot.length;
  const body = (state.isHelp ? helpLines(state, room) : bodyLines(state, look, rest)).slice(
    0,
    rest,
  );
  const isStale = state.link.kind === 'lost';
  const empty = look.isPlain ? 0 : Math.max(0, rest - body.length);
  const lines = [
    heading(state, look),
    ...(isStale ? body.map(greyed) : body),
    ...Array.from({ length: empty }, (): ScreenLine => []),
    ...foot,
    noticeLine(state, look),
    keysLine(state),
  ];
  return lines.map((one) =>
    look.isPlain ? textOf(one) : encode(fit(one, columns), look.hasColour),
  );
}

function bodyLines(state: TopState, look: Look, room: number): readonly ScreenLine[] {
  const screen = shown(state);
  switch (screen.kind) {
    case 'list':
      return listLines(state, look, room);
    case 'run':
      return runLines(state, screen, look, room);
    case 'review':
      return reviewLines(state, screen, look, room);
    case 'tree':
      return treeScreenLines(state, look, room);
  }
}

function heading(state: TopState, look: Look): ScreenLine {
  const { groups } = listed(state);
  const asks = groups['needs-you'].length;
  const counts = [
    span(`${asks} ${asks === 1 ? 'needs' : 'need'} you`, asks === 0 ? 'dim' : 'yellow'),
    span(`  ${groups.working.length} working`),
    span(`  ${groups.cooling.length} waiting`),
    span(`  ${groups.done.length} done`),
  ];
  // On a narrow screen, the numbers need the room of the name.
  const name = state.columns < NAME_COLUMNS_MIN ? [] : [span('Supervisor  ', 'bold')];
  const left = line(...name, ...counts);
  const { link } = state;
  if (link.kind === 'lost')
    return leftAndRight(left, line(span(`owner lost: ${link.why}`, 'red')), state.columns);
  const right =
    link.kind === 'live' ? span(`owner ${look.marks.live}`, 'green') : span('connecting …', 'dim');
  return leftAndRight(left, line(right), state.columns);
}

/** A prompt, what was said last, or the command that does what Enter does. */
function noticeLine(state: TopState, look: Look): ScreenLine {
  const { prompt, notice } = state;
  if (prompt !== null) {
    const typed =
      prompt.form === 'secret' ? look.marks.secret.repeat(prompt.value.length) : prompt.value;
    const question =
      prompt.form === 'confirm'
        ? `${prompt.title} y / n `
        : isLong(state)
          ? 'Your answer: '
          : `${prompt.title}: `;
    // The end of a long text is where the person types.
    const room = Math.max(10, state.columns - question.length - 2);
    const characters = Array.from(CHARACTERS.segment(typed), ({ segment }) => segment);
    const end = characters.slice(-room).join('');
    return line(
      span(question, 'yellow'),
      span(end),
      span(prompt.form === 'confirm' ? '' : look.marks.cursor),
    );
  }
  if (notice !== null) return line(span(notice.text, notice.isProblem ? 'red' : 'green'));
  const { problem } = listed(state);
  if (problem !== null) return line(span(problem, 'red'));
  if (state.query !== '') return line(span('Shown: ', 'dim'), span(state.query, 'cyan'));
  return [];
}

function keysLine(state: TopState): ScreenLine {
  const { prompt } = state;
  if (prompt !== null)
    return line(span(`$ ${prompt.command(prompt.form === 'secret' ? '' : prompt.value)}`, 'dim'));
  const actions = actionsFor(state).filter(({ disabled }) => disabled === undefined);
  // The help and the way out are always in sight.
  const end = '  ? keys  q leave';
  const known = actions.filter(({ key }) => key !== '?' && key !== 'q');
  let text = '';
  for (const { key, does } of known) {
    const next = `${text === '' ? '' : '  '}${key} ${does}`;
    if (text.length + next.length + end.length > state.columns) break;
    text += next;
  }
  return line(span(text + end, 'dim'));
}

const CHARACTERS = new Intl.Segmenter();

/** For the title of the terminal. */
export function titleOf(state: TopState): string {
  const asks = state.board.questions.length;
  return asks === 0 ? 'supervisor top' : `(${asks}) supervisor: ${plural(asks, 'question')}`;
}
