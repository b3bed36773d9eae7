/** What a review shows: the question, the change that it is about, and the comments so far. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { WorkDiff } from '../../../src/protocol/api.ts';
import type { OpenQuestion } from '../../../src/protocol/views/open-question.ts';
import type { ApprovalView } from '../../../src/protocol/views/approval-view.ts';
import { get } from '../connection/api.ts';
import type { ShownRun } from '../run/use-run.ts';
import { useRun } from '../run/use-run.ts';
import type { LineComment } from '../../../src/protocol/words/line-comments.ts';
import { readComments } from './comments.ts';
import type { DiffFile } from '../../../src/base/parse-diff.ts';
import { parseDiff } from '../../../src/base/parse-diff.ts';

export type Review = ShownRun & {
  readonly question: (OpenQuestion & { readonly approval: ApprovalView }) | undefined;
  readonly diff: WorkDiff | undefined;
  readonly diffProblem: string | null;
  /** Why the change can't be approved yet. */
  readonly unseen: string | undefined;
  readonly files: readonly DiffFile[];
  readonly comments: readonly LineComment[];
  readonly setComments: (comments: readonly LineComment[]) => void;
};

export function useReview(id: string): Review {
  const run = useRun(id);
  const question = run.questions.find(
    (one): one is OpenQuestion & { approval: ApprovalView } =>
      one.run === id && one.approval !== undefined,
  );
  const work = question?.approval.work ?? '';
  const diff = useQuery({
    // Other work is another change.
    queryKey: ['diff', id, work],
    queryFn: ({ signal }) => get<WorkDiff>(`/v1/runs/${id}/diff`, signal),
    // A decision is about the work that is shown, so the change before it must not stand here meanwhile.
    ...(question === undefined ? { placeholderData: keepPreviousData } : {}),
  });
  const files = useMemo(() => parseDiff(diff.data?.text ?? ''), [diff.data]);
  const key = `comments-${id}-${work}`;
  const [comments, setComments] = useState<readonly LineComment[]>([]);
  useEffect(() => setComments(readComments(key)), [key]);
  return {
    ...run,
    ...{ question, diff: diff.data, files, comments },
    diffProblem: diff.error?.message ?? null,
    unseen: diff.isPending ? 'the change is loading' : undefined,
    setComments: (all) => {
      sessionStorage.setItem(key, JSON.stringify(all));
      setComments(all);
    },
  };
}
