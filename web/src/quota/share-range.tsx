/** A share as a mark on a line, with the range in which it plausibly is. */
import type { ReactNode } from 'react';

type ShareProps = {
  readonly range: { readonly low: number; readonly high: number } | null;
  readonly part: number;
  readonly of: number;
};

export function ShareRange({ range, part, of }: ShareProps): ReactNode {
  if (range === null) return <span className="note">–</span>;
  const share = part / of;
  const words = `${percent(share)} %, plausibly ${percent(range.low)} to ${percent(range.high)} %, ${part} of ${of}`;
  return (
    <span className="share" title={words}>
      <span className="line" aria-hidden="true">
        <i
          className="range"
          style={{ left: `${range.low * 100}%`, width: `${(range.high - range.low) * 100}%` }}
        />
        <i className="mark" style={{ left: `${share * 100}%` }} />
      </span>
      <span aria-hidden="true">
        {percent(share)} % <span className="note">of {of}</span>
      </span>
      <span className="unseen">{words}</span>
    </span>
  );
}

function percent(value: number): number {
  return Math.round(value * 100);
}
