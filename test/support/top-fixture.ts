/** The screen of the terminal for tests: what the owner sent, which keys were pressed, and what is drawn. */
import type { OpenQuestion } from '../../src/protocol/views/open-question.ts';
import type { BoardRow } from '../../src/protocol/views/board.ts';
import { foldBoard } from '../../src/protocol/views/board-state.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import { draw } from '../../src/tui/draw.ts';
import type { Effect } from '../../src/tui/effect.ts';
import { KeyReader } from '../../src/tui/key-reader.ts';
import { chooseLook } from '../../src/tui/look.ts';
import { press } from '../../src/tui/press.ts';
import type { TopState } from '../../src/tui/top-state.ts';
import { initialState } from '../../src/tui/top-state.ts';
import { runViewFixture } from './run-view-fixture.ts';

const MINUTE = 60_000;
const attempt = { key: 'attempt-1', command: 'attempt', begunAt: 0 } as const;
const works: Partial<RunView> = {
  open: [attempt],
  attempts: 1,
  lastAttempt: 1,
  agent: 'codex',
  begun: 1,
};

export const UNICODE = chooseLook({ LANG: 'C.UTF-8' }, { hasColour: false, isPlain: false });
export const PLAIN = chooseLook({}, { hasColour: true, isPlain: true });

export function boardRow(id: string, task: string, more: Partial<RunView> = {}): BoardRow {
  const view = runViewFixture({ id, task, ...more });
  return { row: { view, reason: null, applied: null }, bars: [] };
}

export const APPROVAL: NonNullable<OpenQuestion['approval']> = {
  ...{ step: 'approve', work: '3f9c0a1b2c3d4e5f', files: 2, added: 212, deleted: 40, names: [] },
  needs: { tier: 'medium', reasons: ['touches auth'], peopleMin: 1, approvers: [], approvedBy: [] },
};

export function question(run: string, more: Partial<OpenQuestion> = {}): OpenQuestion {
  const place = { run, key: 'ask-1', task: 'Fix the login form', project: '/home/me/shop' };
  return {
    ...place,
    question: 'Which Node?',
    choices: ['22', '24'],
    since: 0,
    over: null,
    ...{ parent: null, root: run, part: null },
    ...more,
  };
}

const ROWS = [
  boardRow('aaaaaaaaa1', 'Move the cart to the new interface', {
    open: [{ key: 'ask-1', command: 'ask', begunAt: 0 }],
    workFiles: 2,
    begun: 1,
  }),
  boardRow('aaaaaaaaa2', 'Search in the shop', works),
  boardRow('aaaaaaaaa3', 'Translate', {
    ...works,
    open: [{ key: 'wait-1', command: 'wait', waitReason: 'cooldown', begunAt: 0 }],
  }),
  boardRow('aaaaaaaaa4', 'Model', {
    ...works,
    open: [],
    outcome: { kind: 'succeeded', reason: 'all gates are green' },
    endedAt: MINUTE,
  }),
];

export function topState(
  columns: number,
  rows: number,
  questions: readonly OpenQuestion[] = [question('aaaaaaaaa1', { approval: APPROVAL })],
  boardRows: readonly BoardRow[] = ROWS,
): TopState {
  const state = initialState(columns, rows, ({ type }) => type);
  const now = 5 * MINUTE;
  const item = {
    kind: 'board',
    isWhole: true,
    accounts: [],
    cooling: [],
    schedules: [],
    rows: boardRows,
    questions,
    upTo: 9,
    now,
  } as const;
  const live = { link: { kind: 'live' }, now } as const;
  return { ...state, ...live, board: foldBoard(state.board, item, now) };
}

/** The state after these keys, and what they ask for. */
export function pressed(
  state: TopState,
  keys: readonly string[],
): { readonly state: TopState; readonly effects: readonly Effect[] } {
  const reader = new KeyReader();
  let now = state;
  const effects: Effect[] = [];
  for (const key of keys.flatMap((text) => [...reader.read(text), ...reader.flush()])) {
    const step = press(now, key);
    now = step.state;
    effects.push(...step.effects);
  }
  return { state: now, effects };
}

/** Without the empty lines between the screen and the line of the keys. */
export function screenText(state: TopState, look = UNICODE): readonly string[] {
  return draw(state, look).filter((line) => line !== '');
}
