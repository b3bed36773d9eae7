/** What was spent, over time and by group. The chart comes as a file of its own, once it is needed. */
import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { Suspense, lazy, useState } from 'react';
import type { ReactNode } from 'react';
import type { MetricGroup } from '../../../src/protocol/metric-groups.ts';
import type { SpendSeries, SpendView } from '../../../src/protocol/views/spend-view.ts';
import { get } from '../connection/api.ts';
import { shortNumber, visible } from '../parts/words.ts';
import { COLOURS } from './colours.ts';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

type FiguresProps = { readonly since: number; readonly by: MetricGroup; readonly version: number };

export function Spending({ since, by, version }: FiguresProps): ReactNode {
  const [unit, setUnit] = useState<'usd' | 'tokens'>('usd');
  const { data, error } = useQuery({
    queryKey: ['spend', since, by, version],
    queryFn: ({ signal }) => get<SpendView>(`/v1/spend?since=${since}&by=${by}&parts=48`, signal),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <p className="problem">{error.message}</p>;
  if (data === undefined) return <p className="empty">Loading what was spent…</p>;
  const total = { usd: sum(data.total.usd), tokens: sum(data.total.tokens) };
  const shown = unit === 'usd' && total.usd === 0 && total.tokens > 0 ? 'tokens' : unit;
  return (
    <section className="part" aria-label="Spending">
      <h2>
        Spent <b className="figure">${total.usd.toFixed(2)}</b>
        <span className="note">{shortNumber(total.tokens)} tokens</span>
        <span className="units" role="group" aria-label="Unit of the chart">
          {(['usd', 'tokens'] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={shown === one}
              onClick={() => setUnit(one)}
            >
              {one === 'usd' ? '$' : 'tokens'}
            </button>
          ))}
        </span>
      </h2>
      {total.tokens === 0 && total.usd === 0 ? (
        <p className="empty">Nothing was spent in this time.</p>
      ) : (
        <>
          <Suspense fallback={<div className="chart" />}>
            <Chart view={data} unit={shown} />
          </Suspense>
          <ul className="legend">
            {data.groups.map((group, index) =>
              sum(group.usd) + sum(group.tokens) === 0 ? null : (
                <li key={group.name ?? ''}>
                  <i style={{ background: `var(--${COLOURS[index % COLOURS.length]})` }} />
                  {visible(group.name ?? `no ${by}`)} <span className="note">{amount(group)}</span>
                </li>
              ),
            )}
          </ul>
        </>
      )}
    </section>
  );
}

function amount({ usd, tokens }: SpendSeries): string {
  const dollars = sum(usd);
  return dollars > 0 ? `$${dollars.toFixed(2)}` : `${shortNumber(sum(tokens))} tok`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
