/** Lines above the notice: what a question says as a whole, and what may come next in a query. */
import { plural } from '../base/text.ts';
import type { Look } from './look.ts';
import type { ScreenLine } from './screen-line.ts';
import { fit, line, span, wrap } from './screen-line.ts';
import { markedRuns, selectedRun } from './selected-rows.ts';
import type { TopState } from './top-state.ts';
import { questionOf, shown } from './top-state.ts';

/** Rows that stay for the list itself. */
const LEFT_ROWS = 4;

export function footLines(state: TopState, look: Look, room: number): readonly ScreenLine[] {
  const { prompt } = state;
  const left = Math.max(1, room - LEFT_ROWS);
  if (prompt !== null) {
    if (isLong(state)) return cut(wrap(prompt.title, state.columns, 'yellow'), left);
    return completionLines(state, look);
  }
  const marks = markedLines(state);
  return marks.length > 0 ? marks : cut(questionLines(state), left);
}

/** Whether a prompt leaves too little room on its line for what is typed. */
export function isLong({ prompt, columns }: TopState): boolean {
  return prompt !== null && prompt.form === 'text' && prompt.title.length > columns / 2;
}

function completionLines(state: TopState, look: Look): readonly ScreenLine[] {
  const { prompt, columns } = state;
  if (prompt === null) return [];
  const found = prompt.completions(state, prompt.value);
  if (found.length === 0) return [];
  const words = found.map(({ word }, at) =>
    at === prompt.chosen
      ? span(`${look.marks.selected}${word}  `, 'bold')
      : span(`${word}  `, 'cyan'),
  );
  // The chosen one stays in sight.
  const first = Math.max(0, (prompt.chosen ?? 0) - 2);
  return [fit(line(span('tab  ', 'dim'), ...words.slice(first)), columns)];
}

function markedLines(state: TopState): readonly ScreenLine[] {
  const { length } = markedRuns(state);
  if (length === 0 || shown(state).kind !== 'list') return [];
  return [
    line(span(`${plural(length, 'run')} marked`, 'cyan'), span('  escape: mark none', 'dim')),
  ];
}

/** The question of the run that is selected in the list. An approval is shown on its own screen. */
function questionLines(state: TopState): readonly ScreenLine[] {
  const question = questionOf(state, selectedRun(state));
  if (shown(state).kind !== 'list' || question === undefined || question.approval !== undefined)
    return [];
  const choices = question.choices.length === 0 ? '' : ` (${question.choices.join(', ')})`;
  return wrap(`asks: ${question.question}${choices}`, state.columns, 'yellow');
}

/** The beginning of a text that is longer than the room. */
export function cut(lines: readonly ScreenLine[], room: number): readonly ScreenLine[] {
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), line(span('…', 'yellow'))];
}
