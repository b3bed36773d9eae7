/** The runs of a dashboard in their groups: what needs a person comes first. */
import type { OpenQuestion } from './open-question.ts';
import { matchesQuery, parseRunQuery } from '../run-query.ts';
import type { BoardRow } from './board.ts';
import type { RunStatus } from './run-status.ts';
import { runStatus } from './run-status.ts';

type GroupName = 'needs-you' | 'working' | 'cooling' | 'done';

export type Shown = {
  readonly board: BoardRow;
  readonly status: RunStatus;
  /** The oldest open question, its own or of a run below it. */
  readonly question: OpenQuestion | undefined;
};

export type Groups = {
  readonly groups: Readonly<Record<GroupName, readonly Shown[]>>;
  /** What is wrong with the query. */
  readonly problem: string | null;
};

const WAITING: ReadonlySet<RunStatus> = new Set([
  ...(['cooling', 'retrying', 'waiting', 'queued', 'paused', 'parked', 'summoned'] as const),
]);

export function groupRuns(
  rows: Iterable<BoardRow>,
  questions: readonly OpenQuestion[],
  query: string,
  now: number,
): Groups {
  const parsed = parseRunQuery(query);
  const groups = { 'needs-you': [], working: [], cooling: [], done: [] } as Record<
    GroupName,
    Shown[]
  >;
  const asked = new Map(questions.toReversed().map((one) => [one.root, one]));
  for (const board of rows) {
    const { row } = board;
    const isWanted =
      parsed.kind === 'invalid' ||
      matchesQuery(parsed.query, { view: row.view, reason: row.reason }, now);
    if (!isWanted) continue;
    const shown = { board, status: runStatus(row.view), question: asked.get(row.view.id) };
    groups[groupOf(shown)].push(shown);
  }
  groups['needs-you'].sort((a, b) => (a.question?.since ?? 0) - (b.question?.since ?? 0));
  for (const name of ['working', 'cooling'] as const)
    groups[name].sort((a, b) => b.board.row.view.submittedAt - a.board.row.view.submittedAt);
  groups.done.sort((a, b) => (b.board.row.view.endedAt ?? 0) - (a.board.row.view.endedAt ?? 0));
  const problem = parsed.kind === 'invalid' ? `${parsed.message} ${parsed.hint}` : null;
  return { groups, problem };
}

function groupOf({ board, status, question }: Shown): GroupName {
  if (board.row.view.outcome !== null) return 'done';
  if (question !== undefined) return 'needs-you';
  return WAITING.has(status) ? 'cooling' : 'working';
}
