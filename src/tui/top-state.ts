/** Everything that the screen shows, as one value. */
import type { RunEvent } from '../protocol/event.ts';
import type { OpenQuestion } from '../protocol/views/open-question.ts';
import type { ApprovalView } from '../protocol/views/approval-view.ts';
import type { QueryCompletion } from '../protocol/complete-query.ts';
import type { BoardState } from '../protocol/views/board-state.ts';
import { EMPTY } from '../protocol/views/board-state.ts';
import type { StatusRow } from '../protocol/views/status-row.ts';
import type { TreeView } from '../protocol/views/tree-view.ts';
import type { DiffFile } from '../base/parse-diff.ts';
import type { LineComment } from '../protocol/words/line-comments.ts';
import type { WhyView } from '../reports/runs/explain-run.ts';
import type { Effect } from './effect.ts';

export const TABS = ['output', 'story', 'timeline', 'facts'] as const;
type Tab = (typeof TABS)[number];

export type RunScreen = {
  readonly kind: 'run';
  readonly run: string;
  readonly tab: Tab;
  /** Lines from the end of output and facts, which follow what comes; from the beginning of the others. */
  readonly scroll: number;
};
export type ReviewScreen = {
  readonly kind: 'review';
  readonly run: string;
  readonly file: number;
  readonly line: number;
};
export type Screen =
  | { readonly kind: 'list'; readonly selected: string | null }
  | RunScreen
  | ReviewScreen
  | { readonly kind: 'tree'; readonly selected: string | null };

type Link =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly why: string };

/** What a person types or confirms before something happens. */
export type Prompt = {
  readonly title: string;
  readonly value: string;
  readonly form: 'text' | 'secret' | 'confirm';
  readonly isOptional: boolean;
  /** What may come next, such as in a query. */
  readonly completions: (state: TopState, value: string) => readonly QueryCompletion[];
  /** The chosen one of them. Null: none is chosen yet. */
  readonly chosen: number | null;
  readonly command: (value: string) => string;
  readonly send: (state: TopState, value: string) => KeyStep;
};

/** The change of a run, as it was when the screen got it. */
export type Change = {
  readonly run: string;
  readonly approval: ApprovalView | undefined;
  readonly files: readonly DiffFile[];
  /** What the files are not, in words. Null: they are the whole change. */
  readonly leftOut: string | null;
  /** Why it can't be shown. */
  readonly problem: string | null;
};

type Notice = { readonly text: string; readonly isProblem: boolean };

export type TopState = {
  readonly board: BoardState;
  readonly link: Link;
  /** The last one is shown. */
  readonly screens: readonly [Screen, ...Screen[]];
  readonly query: string;
  /** Runs of the list that get the next instruction together. */
  readonly marked: ReadonlySet<string>;
  readonly why: WhyView | null;
  readonly tree: TreeView | null;
  readonly change: Change | null;
  readonly comments: readonly LineComment[];
  readonly prompt: Prompt | null;
  readonly isHelp: boolean;
  readonly notice: Notice | null;
  /** The time of the owner. */
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  /** One fact as a sentence. */
  readonly factText: (event: RunEvent) => string;
};

/** What a key does: the next state, and what has to happen outside. */
export type KeyStep = { readonly state: TopState; readonly effects: readonly Effect[] };

export function initialState(
  columns: number,
  rows: number,
  factText: TopState['factText'],
): TopState {
  return {
    ...{ board: EMPTY, link: { kind: 'connecting' }, screens: [{ kind: 'list', selected: null }] },
    ...{
      query: '',
      marked: new Set(),
      why: null,
      tree: null,
      change: null,
      comments: [],
      prompt: null,
    },
    ...{ isHelp: false, notice: null, now: 0, columns, rows, factText },
  };
}

export function shown({ screens }: TopState): Screen {
  return screens.at(-1) ?? screens[0];
}

export function replaced(state: TopState, screen: Screen): TopState {
  const [first, ...others] = state.screens;
  return others.length === 0
    ? { ...state, screens: [screen] }
    : { ...state, screens: [first, ...others.slice(0, -1), screen] };
}

export function opened(state: TopState, screen: Screen): TopState {
  return { ...state, screens: [...state.screens, screen], isHelp: false, notice: null };
}

export function closed(state: TopState): TopState {
  const [first, ...others] = state.screens;
  return { ...state, screens: [first, ...others.slice(0, -1)], notice: null };
}

/** The run that the screen is about, as the owner last described it. */
export function rowOf({ board }: TopState, run: string | null): StatusRow | undefined {
  return run === null ? undefined : board.rows?.get(run)?.row;
}

/** Its own, or the oldest of the runs below it. */
export function questionOf({ board }: TopState, run: string | null): OpenQuestion | undefined {
  const { questions } = board;
  return questions.find((one) => one.run === run) ?? questions.find(({ root }) => root === run);
}
