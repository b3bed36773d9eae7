/** The causes of the state of a run, in their order, each with its evidence. */
import type { ReactNode } from 'react';
import type { WhyView } from '../../../src/reports/runs/explain-run.ts';
import { moment, visible } from '../parts/words.ts';

export function Story({
  why,
  now,
}: {
  readonly why: WhyView | null;
  readonly now: number;
}): ReactNode {
  if (why === null) return <p className="empty">Loading the story…</p>;
  return (
    <ol className="story">
      {why.chain.map(({ at, what, evidence }, index) => (
        <li key={`${at}-${index}`}>
          <time dateTime={new Date(at).toISOString()}>{moment(at, now)}</time>
          <div>
            {visible(what)}
            {evidence.map(({ source, line }, place) => (
              <q key={place} className="evidence">
                {source}: {visible(line)}
              </q>
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}
