/** What the screens of one run show: its row, its facts as they come, and what the owner explains about it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OpenQuestion } from '../../../src/protocol/views/open-question.ts';
import type { StatusRow } from '../../../src/protocol/views/status-row.ts';
import type { WhyView } from '../../../src/reports/runs/explain-run.ts';
import { Refused, get } from '../connection/api.ts';
import type { BoardRun } from '../../../src/protocol/views/board-state.ts';
import { useBoard, useOpenRun } from '../connection/use-board.ts';

export type ShownRun = {
  readonly row: StatusRow | null;
  readonly why: WhyView | null;
  readonly followed: BoardRun | null;
  readonly questions: readonly OpenQuestion[];
  /** There is no such run, or it can't be read. */
  readonly problem: string | null;
};

export function useRun(id: string): ShownRun {
  const { rows, questions } = useBoard();
  const followed = useOpenRun(id);
  // A note about a running command changes neither the state nor its causes.
  const seq = followed?.events.findLast(({ type }) => type !== 'command.noted')?.seq ?? 0;
  const status = useQuery({
    queryKey: ['status', id, seq],
    queryFn: ({ signal }) => get<StatusRow>(`/v1/runs/${id}/status`, signal),
    placeholderData: keepPreviousData,
  });
  const why = useQuery({
    queryKey: ['why', id, seq],
    queryFn: ({ signal }) => get<WhyView>(`/v1/runs/${id}/why`, signal),
    placeholderData: keepPreviousData,
    enabled: seq > 0,
  });
  const live = rows?.get(id)?.row;
  // The task of a row in the list is cut.
  const row =
    status.data === undefined
      ? null
      : {
          ...status.data,
          ...(live === undefined
            ? {}
            : { view: { ...live.view, task: status.data.view.task }, reason: live.reason }),
        };
  const problem = status.error instanceof Refused ? status.error.message : null;
  return {
    ...{ row, followed, problem, why: why.data ?? null },
    questions: questions.filter(({ run, root }) => run === id || root === id),
  };
}
