/** What attempts gave for their cost, in groups, each share with its plausible range. */
import { useQuery, keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MetricsRow, MetricsView } from '../../../src/protocol/views/metrics-view.ts';
import type { MetricGroup } from '../../../src/protocol/metric-groups.ts';
import { formatDuration } from '../../../src/base/format-duration.ts';
import { get } from '../connection/api.ts';
import { shortNumber, visible } from '../parts/words.ts';
import { ShareRange } from './share-range.tsx';

type FiguresProps = { readonly since: number; readonly by: MetricGroup; readonly version: number };

export function Results({ since, by, version }: FiguresProps): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['metrics', since, by, version],
    queryFn: ({ signal }) => get<MetricsView>(`/v1/metrics?since=${since}&by=${by}`, signal),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <p className="problem">{error.message}</p>;
  if (data === undefined) return <p className="empty">Loading results…</p>;
  return (
    <section className="part" aria-label="Results">
      <h2>
        What works{' '}
        <span className="note">
          {data.total.attempts} attempts in {data.total.runs} runs
        </span>
      </h2>
      {data.rows.length === 0 ? (
        <p className="empty">No attempt ended in this time.</p>
      ) : (
        <div className="wide" role="region" aria-label="Results by group" tabIndex={0}>
          <table className="figures">
            <thead>
              <tr>
                <th>{by}</th>
                <th className="right">attempts</th>
                <th>verified by gates</th>
                <th>completed</th>
                <th className="right">retries</th>
                <th className="right">median</th>
                <th className="right">tokens</th>
                <th className="right">cost</th>
                <th className="right">a verified one</th>
                <th>fails by</th>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <ResultRow key={row.name ?? ''} row={row} by={by} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function ResultRow({ row, by }: { readonly row: MetricsRow; readonly by: MetricGroup }): ReactNode {
  const [worst] = row.failures;
  return (
    <tr>
      <th scope="row">
        {visible(row.name ?? `no ${by}`)}
        {row.isBest ? <span className="best">best</span> : null}
      </th>
      <td className="right">{row.attempts}</td>
      <td>
        <ShareRange range={row.verifiedShare} part={row.verified} of={row.judged} />
      </td>
      <td>
        <ShareRange range={row.completedShare} part={row.completed} of={row.ended} />
      </td>
      <td className="right">{row.retries}</td>
      <td className="right">{row.medianMs === null ? '–' : formatDuration(row.medianMs)}</td>
      <td className="right">{row.tokens === null ? '–' : shortNumber(row.tokens)}</td>
      <td className="right">
        {dollars(row.costUsd)}
        {row.costPartial ? <span title="not all of it is known">+</span> : null}
      </td>
      <td className="right">{dollars(row.costPerVerifiedUsd)}</td>
      <td className="note">{worst === undefined ? '' : `${worst.reason} ×${worst.attempts}`}</td>
    </tr>
  );
}

function dollars(value: number | null): string {
  return value === null ? '–' : `$${value.toFixed(2)}`;
}
