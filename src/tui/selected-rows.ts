/** What the list and the tree show, in their order, and which of it is selected. */
import type { Shown } from '../protocol/views/run-groups.ts';
import { groupRuns } from '../protocol/views/run-groups.ts';
import type { TreeNode } from '../protocol/views/tree-view.ts';
import type { TreeLine } from '../reports/tree-lines.ts';
import { formatTree, withoutInternals } from '../reports/tree-lines.ts';
import type { TopState } from './top-state.ts';
import { shown } from './top-state.ts';

export const GROUPS = ['needs-you', 'working', 'cooling', 'done'] as const;
type Group = (typeof GROUPS)[number];

export type Listed = {
  readonly groups: Readonly<Record<Group, readonly Shown[]>>;
  /** All groups, one after the other. */
  readonly all: readonly Shown[];
  readonly problem: string | null;
};

/** Ages in a query are compared at most this often. */
const AGE_MS = 10_000;

/** Computed once for each change of what it depends on: a frame must not sort thousands of runs. */
let last: { readonly of: readonly unknown[]; readonly listed: Listed } | undefined;

export function listed({ board, query, now }: TopState): Listed {
  const of = [board.rows, board.questions, query, Math.floor(now / AGE_MS)];
  if (last !== undefined && last.of.every((one, place) => one === of[place])) return last.listed;
  const { groups, problem } = groupRuns(board.rows?.values() ?? [], board.questions, query, now);
  const value = { groups, all: GROUPS.flatMap((name) => groups[name]), problem };
  last = { of, listed: value };
  return value;
}

/** The place of the selected run in the list. A run that is gone leaves its neighbours: the first one is selected. */
export function selectedPlace(state: TopState): number {
  const screen = state.screens[0];
  const id = screen.kind === 'list' ? screen.selected : null;
  return Math.max(
    0,
    listed(state).all.findIndex(({ board }) => board.row.view.id === id),
  );
}

/** The run that actions are about. */
export function selectedRun(state: TopState): string | null {
  const screen = shown(state);
  if (screen.kind === 'run' || screen.kind === 'review') return screen.run;
  if (screen.kind === 'tree') return selectedNode(state)?.agent?.run ?? null;
  return listed(state).all[selectedPlace(state)]?.board.row.view.id ?? null;
}

/** The long-lived agents with their supervisors, without the components of the owner. */
export function treeLines({ tree }: TopState): readonly TreeLine[] {
  return tree === null ? [] : formatTree(withoutInternals(tree));
}

export function selectedNode(state: TopState): TreeNode | undefined {
  const screen = shown(state);
  const nodes = treeLines(state).map(({ node }) => node);
  const id = screen.kind === 'tree' ? screen.selected : null;
  return nodes.find((node) => node.id === id) ?? nodes[0];
}

/** The marked runs that the owner still lists. An instruction may change one so that the query does not select it. */
export function markedRuns({ board, marked }: TopState): readonly Shown[] {
  if (marked.size === 0) return [];
  const rows = [...marked].flatMap((id) => board.rows?.get(id) ?? []);
  const { groups } = groupRuns(rows, board.questions, '', 0);
  return GROUPS.flatMap((name) => groups[name]);
}
