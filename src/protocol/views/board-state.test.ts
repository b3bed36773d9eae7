import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BoardItem, BoardRow } from './board.ts';
import type { RunEvent } from '../event.ts';
import type { BoardState } from './board-state.ts';
import { appendChunks, EMPTY, foldBoard, lineText, withOpenRun } from './board-state.ts';

function board(isWhole: boolean, ids: readonly string[], upTo: number): BoardItem {
  const rows = ids.map(
    (id) => ({ row: { view: { id, seq: upTo } }, bars: [] }) as unknown as BoardRow,
  );
  return {
    kind: 'board',
    isWhole,
    rows,
    questions: [],
    accounts: [],
    cooling: [],
    schedules: [],
    upTo,
    now: 1000,
  };
}

function seen({ rows }: BoardState): readonly string[] {
  return [...(rows ?? [])].map(([id, { row }]) => `${id}@${row.view.seq}`);
}

describe('the board', () => {
  test('takes everything first, then what has changed', () => {
    const items = [board(true, ['a', 'b'], 5), board(false, ['b', 'c'], 7)];
    const state = items.reduce((before, item) => foldBoard(before, item, 400), EMPTY);
    assert.deepEqual([seen(state), state.upTo, state.aheadMs], [['a@5', 'b@7', 'c@7'], 7, 600]);
  });
  test('forgets what a later whole board does not have', () => {
    const items = [board(true, ['a', 'b'], 5), board(true, ['b'], 9)];
    assert.deepEqual(seen(items.reduce((before, item) => foldBoard(before, item, 0), EMPTY)), [
      'b@9',
    ]);
  });
  test('keeps each fact of the open run once, also if a stream sends some again', () => {
    const facts = (...seqs: readonly number[]): BoardItem => ({
      ...{ kind: 'facts', run: 'a' },
      events: seqs.map((seq) => ({ seq }) as RunEvent),
    });
    const items = [facts(1, 2), facts(2, 3), { ...facts(9), run: 'another' }, facts(4)];
    const open = withOpenRun(EMPTY, 'a');
    const state = items.reduce<BoardState>((before, item) => foldBoard(before, item, 0), open);
    assert.deepEqual(
      state.open?.events.map(({ seq }) => seq),
      [1, 2, 3, 4],
    );
  });
});

describe('the output of a run', () => {
  const chunk = (
    text: string,
    key = 'attempt-1',
  ): { key: string; stream: 'stdout'; text: string } => ({
    ...{ key, stream: 'stdout', text },
  });
  test('becomes whole lines, wherever a chunk ends', () => {
    const lines = appendChunks(appendChunks([], [chunk('one\ntw')]), [chunk('o\nthree\n')]);
    assert.deepEqual(lines.map(lineText), ['one', 'two', 'three']);
  });
  test('of another command begins a new line', () => {
    const lines = appendChunks([], [chunk('half'), chunk('other\n', 'gate-1')]);
    assert.deepEqual(
      lines.map((line) => [line.title, lineText(line)]),
      [
        ['attempt-1', 'half'],
        ['gate-1', 'other'],
      ],
    );
  });
});
