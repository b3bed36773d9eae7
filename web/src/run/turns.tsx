/** The turns of the agents: what each said, which tools it called, and what failed. Only those in view are drawn. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import type { RunEvent } from '../../../src/protocol/event.ts';
import type { TurnRecord } from '../../../src/protocol/turn.ts';
import { clock, shortNumber, visible } from '../parts/words.ts';

type ShownTurn = {
  readonly at: number;
  readonly attempt: string;
  readonly turn: TurnRecord;
};

function turnsOf(events: readonly RunEvent[]): readonly ShownTurn[] {
  return events.flatMap(({ type, at, payload }) =>
    type === 'command.noted' && payload.command === 'attempt' && payload.note.kind === 'turn'
      ? [{ at, attempt: payload.key, turn: payload.note.turn }]
      : [],
  );
}

export function Turns({ events }: { readonly events: readonly RunEvent[] }): ReactNode {
  const turns = useMemo(() => turnsOf(events), [events]);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => box.current,
    estimateSize: () => 48,
    overscan: 10,
  });
  if (turns.length === 0)
    return (
      <p className="empty">
        No turn is recorded. Turns are read from model calls, which scripted agents do not make.
      </p>
    );
  return (
    <div ref={box} className="facts" tabIndex={0} role="region" aria-label="Turns">
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const one = turns[item.index];
          return one === undefined ? null : (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="turn"
              style={{
                position: 'absolute',
                insetInline: 0,
                transform: `translateY(${item.start}px)`,
              }}
            >
              <Turn shown={one} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Turn({ shown: { at, attempt, turn } }: { readonly shown: ShownTurn }): ReactNode {
  const { number, kind, text, calls, steps, contextTokens, contextTokensMax } = turn;
  const failed = steps.filter(({ error }) => error !== undefined);
  const fill =
    contextTokens === null
      ? ''
      : contextTokensMax === null
        ? `${shortNumber(contextTokens)} tok`
        : `${Math.round((100 * contextTokens) / contextTokensMax)} % full`;
  return (
    <>
      <span className="number">
        {attempt.replace('attempt-', '')}.{number}
        {kind === 'sub' ? ' sub' : ''}
      </span>
      <time dateTime={new Date(at).toISOString()}>{clock(at)}</time>
      <div>
        {failed.map((step) => (
          <p key={step.id} className="problem">
            ✖ {visible(step.tool)} {visible(step.subject ?? '')}:{' '}
            {visible(step.errorText ?? step.error ?? '')}
          </p>
        ))}
        {text === '' ? null : <p>{visible(text)}</p>}
        {calls.map((call, index) => (
          <p key={index} className="note">
            → {visible(call.tool)} {visible(call.subject ?? '')}
          </p>
        ))}
      </div>
      <span className="note">{fill}</span>
    </>
  );
}
