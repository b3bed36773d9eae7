/** The runs of the Now screen in their groups. */
import type { OpenQuestion } from '../../../src/protocol/api.ts';
import { matchesQuery, parseRunQuery } from '../../../src/protocol/run-query.ts';
import type { BoardRow } from '../../../src/protocol/views/board.ts';
import type { RunStatus } from '../../../src/protocol/views/run-status.ts';
import { runStatus } from '../../../src/protocol/views/run-status.ts';

type GroupName = 'needs-you' | 'working' | 'cooling' | 'done';

export type Shown = {
  readonly board: BoardRow;
  readonly status: RunStatus;
  /** The oldest open question. */
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
  const asked = new Map(questions.toReversed().map((one) => [one.run, one]));
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

/** What may complete the last word of a query. */
export function completions(query: string, rows: Iterable<BoardRow>): readonly string[] {
  const cut = query.lastIndexOf(' ') + 1;
  const [before, word] = [query.slice(0, cut), query.slice(cut).toLowerCase()];
  const words = new Set(STATES.map((state) => `is:${state}`));
  for (const { row } of rows) {
    words.add(`project:${row.view.project.split('/').findLast((part) => part !== '') ?? ''}`);
    if (row.view.agent !== null) words.add(`agent:${row.view.agent}`);
    if (row.view.gate !== null) words.add(`gate:${row.view.gate.name}`);
  }
  for (const more of ['cost:>1', 'age:>1h', 'age:<1d', 'reason:limit']) words.add(more);
  return [...words]
    .filter((one) => word !== '' && one.startsWith(word) && one !== word && !one.includes(' '))
    .slice(0, 12)
    .map((one) => before + one);
}

const STATES = [
  'active',
  'ended',
  'working',
  'waiting',
  'done',
  'bad',
  'awaiting_input',
  'running',
  'cooling',
  'failed',
  'succeeded',
];
