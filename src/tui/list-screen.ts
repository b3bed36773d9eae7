/** All runs in their groups: what needs a person comes first. */
import { oneLine, plural } from '../base/text.ts';
import type { Shown } from '../protocol/views/run-groups.ts';
import { statusText } from '../protocol/views/run-status.ts';
import type { Look } from './look.ts';
import { markOf } from './look.ts';
import type { ScreenLine } from './screen-line.ts';
import { fit, leftAndRight, line, pad, span } from './screen-line.ts';
import { GROUPS, listed, selectedPlace } from './selected-rows.ts';
import type { TopState } from './top-state.ts';
import { ageOf, costOf, nameOf, projectOf } from './words.ts';

const TITLES = {
  'needs-you': 'needs you',
  working: 'working',
  cooling: 'waiting',
  done: 'done',
} as const;

export function listLines(state: TopState, look: Look, room: number): readonly ScreenLine[] {
  const { groups, all } = listed(state);
  if (state.board.rows === null) return [line(span('Loading the runs …', 'dim'))];
  if (all.length === 0) return [line(span(emptyText(state), 'dim'))];
  const place = selectedPlace(state);
  const isMixed = new Set(all.map(({ board }) => board.row.view.project)).size > 1;
  // A heading stands above the first run of its group. On a low screen, the marks say it.
  const hasTitles = room >= 14;
  const rows: (readonly [at: number, build: () => ScreenLine])[] = [];
  let at = 0;
  for (const name of GROUPS) {
    const first = at;
    if (hasTitles && groups[name].length > 0)
      rows.push([-1, () => line(span(`${TITLES[name]} ${groups[name].length}`, 'dim'))]);
    for (const [nth, one] of groups[name].entries()) {
      const index = first + nth;
      rows.push([index, () => row(state, one, index === place, isMixed, look)]);
    }
    at += groups[name].length;
  }
  const chosen = rows.findIndex(([index]) => index === place);
  // Only what is visible is drawn, so that thousands of runs cost no more than a few.
  return windowOf(rows, chosen, look.isPlain ? 50 : room).map(([, build]) => build());
}

/** The part of a list around the selected place. */
export function windowOf<Row>(rows: readonly Row[], chosen: number, room: number): readonly Row[] {
  if (rows.length <= room) return rows;
  const begin = Math.max(0, Math.min(chosen - Math.floor(room / 2), rows.length - room));
  return rows.slice(begin, begin + room);
}

function emptyText({ query }: TopState): string {
  return query === ''
    ? 'No runs yet. Start one with: supervisor run "…"'
    : 'No run matches. / changes the filter, Escape removes it.';
}

const NAME_SHARE = 0.34;
const NAME_MAX = 44;

function row(
  state: TopState,
  { board, status, question }: Shown,
  isSelected: boolean,
  /** The list has runs of several projects, whose tasks may be alike. */
  isMixed: boolean,
  look: Look,
): ScreenLine {
  const { view, reason } = board.row;
  const [mark, style] = markOf(status, question !== undefined, look);
  const isMarked = state.marked.has(view.id);
  const text = question === undefined ? (reason ?? statusText(view)) : asked(question);
  if (look.isPlain) {
    const word = question === undefined ? statusText(view) : 'needs you';
    const where = `${nameOf(view)}, in ${projectOf(view)}, ${view.agent ?? 'no agent'}, run ${view.id}.`;
    return line(
      `${isSelected ? 'selected: ' : ''}${isMarked ? 'marked: ' : ''}${word}: ${where}${text === word ? '' : ` ${text}`}`,
    );
  }
  const age =
    question === undefined
      ? ageOf(view.submittedAt, view.endedAt ?? state.now)
      : `waits ${ageOf(question.since, state.now)}`;
  const right = line(span(costOf(view), 'dim'), span(`  ${age}`.padStart(9)));
  const share = Math.floor(state.columns * NAME_SHARE) - 4;
  const nameWidth = Math.min(NAME_MAX, Math.max(12, share));
  const isWide = state.columns >= 140;
  const before = isMixed && !isWide ? [span(`${projectOf(view)}: `, 'dim')] : [];
  const own = span(nameOf(view), isSelected ? 'bold' : 'plain');
  const name = pad(line(...before, own), nameWidth);
  const agent =
    state.columns < 100 ? [] : line(...pad(line(span(view.agent ?? '', 'cyan')), 15), ' ');
  const project = isWide ? line(...pad(line(span(projectOf(view), 'dim')), 17), ' ') : [];
  const start = line(
    span(isSelected ? look.marks.selected : ' ', 'bold'),
    span(isMarked ? look.marks.marked : ' ', 'cyan'),
    span(`${mark} `, style),
  );
  const left = [
    ...start,
    ...fit(name, nameWidth),
    ...line('  '),
    ...agent,
    ...project,
    span(oneLine(text), question === undefined ? 'dim' : 'yellow'),
  ];
  return leftAndRight(left, right, state.columns);
}

function asked({ approval, question }: NonNullable<Shown['question']>): string {
  if (approval === undefined) return `asks: ${question}`;
  const risk = approval.needs === undefined ? '' : `, ${approval.needs.tier} risk`;
  return `approve${risk}: ${plural(approval.files, 'file')} +${approval.added} -${approval.deleted}`;
}
