/** The keys that work on this screen, each with its command. A key that can't work now says why when it is pressed. */
import { actionsFor } from './actions.ts';
import type { ScreenLine } from './screen-line.ts';
import { line, span } from './screen-line.ts';
import type { TopState } from './top-state.ts';

const MOVES = 'j k up down, page up and down, g G: move';
const KEY_COLUMNS = 8;
const DOES_COLUMNS = 26;

export function helpLines(state: TopState, room: number): readonly ScreenLine[] {
  const actions = actionsFor(state).filter(({ disabled }) => disabled === undefined);
  const lines = [
    line(span('Keys that work here', 'bold')),
    ...actions.map(({ key, does, command }) =>
      line(
        span(key.padEnd(KEY_COLUMNS), 'cyan'),
        span(does.padEnd(DOES_COLUMNS)),
        span(command ?? '', 'dim'),
      ),
    ),
    line(span(MOVES, 'dim')),
  ];
  // On a low screen, the commands share lines.
  if (lines.length <= room) return lines;
  const short = actions.map(({ key, does }) => `${key} ${does}`);
  const perLine = Math.ceil(short.length / Math.max(1, room - 2));
  const width = Math.max(12, Math.floor(state.columns / perLine) - 1);
  const rows = Array.from({ length: Math.ceil(short.length / perLine) }, (_, row) =>
    line(
      span(
        short
          .slice(row * perLine, (row + 1) * perLine)
          .map((one) => one.slice(0, width).padEnd(width + 1))
          .join(''),
      ),
    ),
  );
  return [...rows, line(span(MOVES, 'dim'))];
}
