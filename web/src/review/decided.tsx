/** How the last question about the change was decided: the person, the place and the time. */
import type { ReactNode } from 'react';
import type { RunEvent } from '../../../src/protocol/event.ts';
import { moment, visible } from '../parts/words.ts';

export function Decided({
  events,
  now,
}: {
  readonly events: readonly RunEvent[];
  readonly now: number;
}): ReactNode {
  const last = events.findLast(isDecision);
  if (last === undefined || !isDecision(last))
    return <p className="empty">The run waits for no decision.</p>;
  const { answer, decision } = last.payload.signal;
  return (
    <p className="decided" role="status">
      Decided: <strong>{visible(answer)}</strong> by {decision.by ?? 'the user of this machine'},{' '}
      {WHERE[decision.channel]}, {moment(last.at, now)}, for tree{' '}
      <code>{decision.work.slice(0, 12)}</code>. The first decision stands.
    </p>
  );
}

const WHERE = {
  web: 'in the dashboard',
  phone: 'by a link',
  terminal: 'at a terminal',
  api: 'by a program',
} as const;

type Received = Extract<RunEvent, { type: 'signal.received' }>;
type Answer = Extract<Received['payload']['signal'], { kind: 'answer' }>;
type DecisionEvent = Received & {
  readonly payload: {
    readonly signal: Answer & { readonly decision: NonNullable<Answer['decision']> };
  };
};

function isDecision(event: RunEvent): event is DecisionEvent {
  if (event.type !== 'signal.received') return false;
  const { signal } = event.payload;
  return signal.kind === 'answer' && signal.decision !== undefined;
}
