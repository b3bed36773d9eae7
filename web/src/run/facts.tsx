/** The facts of the run as the journal has them. Only those in view are drawn. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import type { RunEvent } from '../../../src/protocol/event.ts';
import { clock, visible } from '../parts/words.ts';

const SUMMARY_CHARS_MAX = 300;

export function Facts({ events }: { readonly events: readonly RunEvent[] }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => 24,
    overscan: 12,
  });
  if (events.length === 0) return <p className="empty">No fact yet.</p>;
  return (
    <div ref={box} className="facts" tabIndex={0} role="region" aria-label="Facts">
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const event = events[item.index];
          if (event === undefined) return null;
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="fact"
              style={{
                position: 'absolute',
                insetInline: 0,
                transform: `translateY(${item.start}px)`,
              }}
            >
              <span>{event.seq}</span>
              <time dateTime={new Date(event.at).toISOString()}>{clock(event.at)}</time>
              <details>
                <summary>
                  <b>{event.type}</b>{' '}
                  {visible(JSON.stringify(event.payload)).slice(0, SUMMARY_CHARS_MAX)}
                </summary>
                <pre>{visible(JSON.stringify(event.payload, null, 2))}</pre>
              </details>
            </div>
          );
        })}
      </div>
    </div>
  );
}
