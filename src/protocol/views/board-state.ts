/** What a dashboard knows, folded from the items of its one stream. */
import type { OpenQuestion } from './open-question.ts';
import type { RunEvent } from '../event.ts';
import type { BoardAccount, BoardItem, BoardRow, BoardSchedule } from './board.ts';
import type { CooldownView } from './cooldown-view.ts';
import type { TreeView } from './tree-view.ts';

export type TailLine = {
  readonly title: string;
  readonly stream: 'stdout' | 'stderr' | 'calls';
  readonly text: string;
};

/** The run that is open in the dashboard. */
export type BoardRun = {
  readonly id: string;
  readonly events: readonly RunEvent[];
  readonly tail: readonly TailLine[];
  /** Characters before the tail that were left out. */
  readonly leftOut: number;
};

export type BoardState = {
  /** Null: nothing has arrived yet. */
  readonly rows: ReadonlyMap<string, BoardRow> | null;
  readonly questions: readonly OpenQuestion[];
  readonly accounts: readonly BoardAccount[];
  readonly cooling: readonly CooldownView[];
  readonly schedules: readonly BoardSchedule[];
  /** Null: no part of the page asks for it, or it has not arrived. */
  readonly tree: TreeView | null;
  readonly upTo: number;
  /** How far the clock of the owner is ahead of that of the dashboard. */
  readonly aheadMs: number;
  readonly open: BoardRun | null;
};

export const EMPTY: BoardState = {
  ...{ rows: null, questions: [], accounts: [], cooling: [], schedules: [], tree: null },
  ...{ upTo: 0, aheadMs: 0, open: null },
};

const TAIL_LINES_MAX = 5000;

export function foldBoard(state: BoardState, item: BoardItem, now: number): BoardState {
  if (item.kind === 'board') {
    const known = item.isWhole || state.rows === null ? [] : state.rows;
    const rows = new Map([
      ...known,
      ...item.rows.map((one): [string, BoardRow] => [one.row.view.id, one]),
    ]);
    const { questions, accounts, cooling, schedules, upTo } = item;
    const shared = { questions, accounts, cooling, schedules };
    return { ...state, rows, ...shared, upTo, aheadMs: item.now - now };
  }
  if (item.kind === 'tree') return { ...state, tree: item.tree };
  const { open } = state;
  if (open === null || open.id !== item.run) return state;
  if (item.kind === 'facts') {
    const last = open.events.at(-1)?.seq ?? 0;
    const more = item.events.filter(({ seq }) => seq > last);
    return { ...state, open: { ...open, events: [...open.events, ...more] } };
  }
  const tail = appendChunks(item.leftOut > 0 ? [] : open.tail, item.chunks).slice(-TAIL_LINES_MAX);
  return { ...state, open: { ...open, tail, leftOut: open.leftOut + item.leftOut } };
}

/** Opens another run, or none. The facts of the same run stay. */
export function withOpenRun(state: BoardState, id: string | null): BoardState {
  if (state.open?.id === id) return state;
  return { ...state, open: id === null ? null : { id, events: [], tail: [], leftOut: 0 } };
}

/** A new stream sends the output again from its newest part. */
export function withoutTail(state: BoardState): BoardState {
  return state.open === null ? state : { ...state, open: { ...state.open, tail: [], leftOut: 0 } };
}

type Chunk = Extract<BoardItem, { kind: 'output' }>['chunks'][number];

/** Whole lines: a chunk may end inside of one. */
export function appendChunks(
  lines: readonly TailLine[],
  chunks: readonly Chunk[],
): readonly TailLine[] {
  const all = [...lines];
  for (const { text, stream, title = '', key } of chunks) {
    const name = title === '' ? key : title;
    const pieces = text.split('\n');
    for (const [index, piece] of pieces.entries()) {
      const last = all.at(-1);
      const continues =
        index === 0 &&
        last?.title === name &&
        last.stream === stream &&
        last.text.endsWith('\u0000');
      if (index === pieces.length - 1 && piece === '') break;
      const isOpen = index === pieces.length - 1;
      const whole = continues ? last.text.slice(0, -1) + piece : piece;
      if (continues) all.pop();
      all.push({ title: name, stream, text: isOpen ? `${whole}\u0000` : whole });
    }
  }
  return all;
}

/** The text of a line that may still be growing. */
export function lineText({ text }: TailLine): string {
  return text.endsWith('\u0000') ? text.slice(0, -1) : text;
}
