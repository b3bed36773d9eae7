/** Whether it pays to tell an agent that something goes wrong. */
import { useQuery, keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Share, SteeringRow, SteeringVerdict } from '../../../src/reports/steering-report.ts';
import { get } from '../connection/api.ts';
import { visible } from '../parts/words.ts';
import { ShareRange } from './share-range.tsx';

const VERDICTS: Readonly<Record<SteeringVerdict, readonly [look: string, words: string]>> = {
  'too-few-cases': ['stopped', 'too few cases'],
  'not-tried': ['stopped', 'never sent'],
  pays: ['good', 'pays'],
  'does-not-pay': ['bad', 'does not pay'],
  unclear: ['unproven', 'no clear effect'],
};

export function Steering({ version }: { readonly version: number }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['steering', version],
    queryFn: ({ signal }) => get<readonly SteeringRow[]>('/v1/report/steering', signal),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <p className="problem">{error.message}</p>;
  return (
    <section className="part" aria-label="Steering">
      <h2>
        Steering <span className="note">does a message to the agent help?</span>
        <code className="note">$ supervisor steering report</code>
      </h2>
      {data === undefined || data.length === 0 ? (
        <p className="empty">
          {data === undefined ? 'Loading…' : 'No detector has found anything.'}
        </p>
      ) : (
        <div className="wide" role="region" aria-label="Steering by detector" tabIndex={0}>
          <table className="figures">
            <thead>
              <tr>
                <th>detector</th>
                <th>model</th>
                <th>channel</th>
                <th className="right">runs</th>
                <th>fails untold</th>
                <th>fails when told</th>
                <th className="right">saves</th>
                <th className="right">disturbs</th>
                <th>a message</th>
              </tr>
            </thead>
            <tbody>
              {data.map((row) => (
                <tr key={`${row.detector} ${row.model} ${row.channel}`}>
                  <th scope="row">{row.detector}</th>
                  <td>{visible(row.model) || '–'}</td>
                  <td>{row.channel}</td>
                  <td className="right">{row.cases}</td>
                  <td>{share(row.p, row.untold)}</td>
                  <td>{share(row.failsWhenTold, row.told)}</td>
                  <td className="right">{percent(row.r)}</td>
                  <td className="right">{percent(row.d)}</td>
                  <td>
                    <span className={`state ${VERDICTS[row.verdict][0]}`}>
                      {VERDICTS[row.verdict][1]}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function share(found: Share | null, of: number): ReactNode {
  return (
    <ShareRange range={found} part={found === null ? 0 : Math.round(found.share * of)} of={of} />
  );
}

function percent(value: number | null): string {
  return value === null ? '–' : `${Math.round(value * 100)} %`;
}
