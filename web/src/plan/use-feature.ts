/** How far a feature is. It is asked for again when the stream brings a fact of its run. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';
import { get } from '../connection/api.ts';
import { useOpenRun } from '../connection/use-board.ts';

export function useFeature(id: string): {
  readonly view: FeatureView | undefined;
  readonly problem: string | null;
} {
  const followed = useOpenRun(id);
  const seq = followed?.events.at(-1)?.seq ?? 0;
  const { data, error } = useQuery({
    queryKey: ['feature', id, seq],
    queryFn: ({ signal }) => get<FeatureView>(`/v1/runs/${id}/feature`, signal),
    placeholderData: keepPreviousData,
  });
  return { view: data, problem: error?.message ?? null };
}
