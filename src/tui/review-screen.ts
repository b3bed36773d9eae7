/** The change of a run: its files, and the one that is selected line by line, with the comments of the person. */
import { plural } from '../base/text.ts';
import type { Look } from './look.ts';
import { windowOf } from './list-screen.ts';
import { fileOf, linesOf } from './review-actions.ts';
import type { ScreenLine, Style } from './screen-line.ts';
import { line, pad, span, wrap } from './screen-line.ts';
import type { Change, ReviewScreen, TopState } from './top-state.ts';
import { questionOf } from './top-state.ts';
import { rowOf } from './top-state.ts';
import { nameOf } from './words.ts';

const WIDE_COLUMNS = 90;
const FILES_COLUMNS = 28;
const STYLES: Readonly<Record<string, Style>> = {
  added: 'green',
  removed: 'red',
  same: 'plain',
  note: 'dim',
  hunk: 'cyan',
};
const SIGNS: Readonly<Record<string, string>> = {
  added: '+',
  removed: '-',
  same: ' ',
  note: '\\',
  hunk: '',
};

export function reviewLines(
  state: TopState,
  screen: ReviewScreen,
  look: Look,
  room: number,
): readonly ScreenLine[] {
  const view = rowOf(state, screen.run)?.view;
  const title = line(
    span(view === undefined ? screen.run : nameOf(view), 'bold'),
    span(`  ${screen.run}`, 'dim'),
  );
  const change = state.change?.run === screen.run ? state.change : null;
  if (change === null) return [title, line(span('Loading the change …', 'dim'))];
  const head = [title, ...riskLines(state), ...leftOutLines(change, state.columns)];
  if (change.problem !== null) return [...head, ...wrap(change.problem, state.columns, 'red')];
  if (change.files.length === 0) return head;
  const left = room - head.length;
  const isWide = state.columns >= WIDE_COLUMNS && !look.isPlain;
  const columns = isWide ? state.columns - FILES_COLUMNS - 2 : state.columns;
  const shownLines = fileLines(state, screen, look, isWide ? left : left - 1, columns);
  const files = change.files.map(({ path }, nth) => {
    const isThis = nth === screen.file;
    return line(
      span(isThis ? `${look.marks.selected} ` : '  ', 'bold'),
      span(path, isThis ? 'bold' : 'dim'),
    );
  });
  if (!isWide) {
    const path = change.files[screen.file]?.path ?? '';
    const heading = line(
      span(path, 'bold'),
      span(`  file ${screen.file + 1} of ${change.files.length}`, 'dim'),
    );
    return [...head, heading, ...shownLines];
  }
  const listedFiles = windowOf(files, screen.file, left);
  const edge = span(`${look.marks.edge} `, 'dim');
  const rows = Math.max(listedFiles.length, shownLines.length);
  return [
    ...head,
    ...Array.from({ length: rows }, (_, row) => [
      ...pad(listedFiles[row] ?? [], FILES_COLUMNS),
      edge,
      ...(shownLines[row] ?? []),
    ]),
  ];
}

function riskLines(state: TopState): readonly ScreenLine[] {
  const { change, comments, columns } = state;
  const approval = change?.approval;
  if (approval === undefined) return [];
  const asked = questionOf(state, change?.run ?? null)?.approval;
  if (asked?.work !== approval.work)
    return wrap(
      'The run no longer asks about this change: it is shown as it was.',
      columns,
      'yellow',
    );
  const { needs } = approval;
  const risk =
    needs === undefined
      ? ''
      : `${needs.tier} risk${needs.reasons.length === 0 ? '' : `: ${needs.reasons.join('; ')}`}  `;
  const size = `${plural(approval.files, 'file')} +${approval.added} -${approval.deleted}`;
  const tree = approval.work === '' ? '' : `  tree ${approval.work.slice(0, 12)}`;
  const noted = comments.length === 0 ? '' : `  ${plural(comments.length, 'comment')}`;
  const isHigh = needs?.tier === 'high' || needs?.tier === 'critical';
  return wrap(
    `asks for an approval: ${risk}${size}${tree}${noted}`,
    columns,
    isHigh ? 'red' : 'yellow',
  ).slice(0, 2);
}

function leftOutLines({ leftOut }: Change, columns: number): readonly ScreenLine[] {
  return leftOut === null ? [] : wrap(leftOut, columns, 'yellow');
}

function fileLines(
  state: TopState,
  screen: ReviewScreen,
  look: Look,
  room: number,
  columns: number,
): readonly ScreenLine[] {
  const file = fileOf(state, screen);
  const lines = linesOf(file);
  if (file === undefined || lines.length === 0)
    return (file?.notes ?? ['No lines to show.']).map((note) => line(span(note, 'dim')));
  const rows = lines.map((one, nth) => ({ one, nth }));
  const shownRows = windowOf(rows, screen.line, Math.max(1, Number.isFinite(room) ? room : 30));
  const drawn = shownRows.flatMap(({ one, nth }) => {
    const isHere = nth === screen.line;
    const after = one.kind === 'hunk' ? null : one.after;
    const number = after === null ? '' : String(after);
    const mark = isHere ? look.marks.selected : ' ';
    const text = line(
      span(`${mark}${number.padStart(5)} `, isHere ? 'bold' : 'dim'),
      span(`${SIGNS[one.kind] ?? ''}${one.text}`, STYLES[one.kind] ?? 'plain'),
    );
    const comment =
      after === null
        ? undefined
        : state.comments.find((have) => have.file === file.path && have.line === after);
    return comment === undefined
      ? [text]
      : [text, line(span(`       you: ${comment.text}`, 'yellow'))];
  });
  return drawn
    .slice(0, Number.isFinite(room) ? room : undefined)
    .map((one) => (columns === state.columns ? one : pad(one, columns)));
}
