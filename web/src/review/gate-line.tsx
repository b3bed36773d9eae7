/** The verdicts of the last gates, and the limits of what they prove. */
import type { ReactNode } from 'react';
import type { RunEvent } from '../../../src/protocol/event.ts';
import { visible } from '../parts/words.ts';
import { lastGates } from './last-gates.ts';

const SIGNS: Readonly<Record<string, string>> = { passed: '✔', failed: '✖', unable: '✖' };

export function GateLine({
  events,
  caveats,
}: {
  readonly events: readonly RunEvent[];
  readonly caveats: readonly string[];
}): ReactNode {
  const gates = lastGates(events);
  return (
    <div className="gates">
      <span className="note">Gates</span>
      {gates.length === 0 ? <span className="note">none ran in this run</span> : null}
      {gates.map(({ name, verdict, proof }) => (
        <span key={name} className={`gate ${verdict}`}>
          {SIGNS[verdict] ?? '…'} {visible(name)} <span className="unseen">{verdict}</span>
          {proof.map((one) => (
            <span key={one} className="note">
              {visible(one)}
            </span>
          ))}
        </span>
      ))}
      {caveats.map((caveat) => (
        <span key={caveat} className="caveat">
          {visible(caveat)}
        </span>
      ))}
    </div>
  );
}
