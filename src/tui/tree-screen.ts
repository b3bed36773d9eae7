/** The long-lived agents with their supervisors, as `supervisor tree` shows them. */
import { windowOf } from './list-screen.ts';
import type { Look } from './look.ts';
import type { ScreenLine } from './screen-line.ts';
import { line, span } from './screen-line.ts';
import { selectedNode, treeLines } from './selected-rows.ts';
import type { TopState } from './top-state.ts';

const HEALTH = { well: 'green', recovering: 'yellow', down: 'red' } as const;

export function treeScreenLines(state: TopState, look: Look, room: number): readonly ScreenLine[] {
  if (state.tree === null) return [line(span('Loading the tree …', 'dim'))];
  const lines = treeLines(state);
  if (lines.length === 0)
    return [line(span('No long-lived agents. Start one with: supervisor spawn "…"', 'dim'))];
  const chosen = selectedNode(state)?.id;
  const rows = lines.map(({ node, name, state: word, health, more }) => {
    const isHere = node.id === chosen;
    const mark = look.isPlain
      ? isHere
        ? 'selected: '
        : ''
      : isHere
        ? `${look.marks.selected} `
        : '  ';
    return line(
      span(mark, 'bold'),
      span(`${name}  `, isHere ? 'bold' : 'cyan'),
      span(word, HEALTH[health]),
      span(look.isPlain ? '' : `  ${more}`, 'dim'),
    );
  });
  return windowOf(
    rows,
    lines.findIndex(({ node }) => node.id === chosen),
    room,
  );
}
