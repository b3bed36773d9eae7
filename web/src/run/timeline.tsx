/** The run on a time axis, one line for each command. An open bar grows. */
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatDuration } from '../../../src/base/format-duration.ts';
import type { RunEvent } from '../../../src/protocol/event.ts';
import type { TimelineBar } from '../../../src/protocol/views/timeline.ts';
import { foldTimeline } from '../../../src/protocol/views/timeline.ts';
import { clock, visible } from '../parts/words.ts';

type TimelineProps = {
  readonly events: readonly RunEvent[];
  readonly now: number;
  /** Shows the output of a bar. */
  readonly onOpen: (key: string) => void;
};

export function Timeline({ events, now, onOpen }: TimelineProps): ReactNode {
  const bars = useMemo(() => events.reduce(foldTimeline, [] as readonly TimelineBar[]), [events]);
  const from = events[0]?.at ?? now;
  const ended = events.find(({ type }) => type === 'run.ended')?.at;
  const to = Math.max(ended ?? now, from + 1000);
  if (bars.length === 0) return <p className="empty">Nothing has begun yet.</p>;
  const place = (at: number): string => `${(100 * (at - from)) / (to - from)}%`;
  return (
    <div className="timeline">
      <p className="axis">
        <span>{clock(from)}</span>
        <span>{formatDuration(to - from)}</span>
        <span>{ended === undefined ? 'now' : clock(ended)}</span>
      </p>
      <ol>
        {bars.map((bar) => {
          const tookMs = Math.max(0, (bar.endedAt ?? now) - bar.begunAt);
          const isPrinting =
            bar.command === 'attempt' || bar.command === 'gate' || bar.command === 'setup';
          const name = bar.command === 'gate' ? `gate ${bar.label}` : bar.key;
          return (
            <li key={`${bar.key}-${bar.begunAt}`}>
              <span className="name" title={name}>
                {bar.run !== undefined ? (
                  <Link href={`/runs/${bar.run}`}>{name}</Link>
                ) : isPrinting ? (
                  <button type="button" onClick={() => onOpen(outputTitle(bar))}>
                    {name}
                  </button>
                ) : (
                  name
                )}
              </span>
              <span className="track">
                <span
                  className={`bar ${bar.command} ${bar.mark}`}
                  style={{
                    insetInlineStart: place(bar.begunAt),
                    width: `max(4px, ${(100 * tookMs) / (to - from)}%)`,
                  }}
                />
              </span>
              <span className="note">
                {formatDuration(tookMs)}
                {bar.command === 'attempt' || bar.command === 'wait'
                  ? ` ${visible(bar.label)}`
                  : ''}
                {bar.note === '' ? '' : ` ${visible(bar.note)}`}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** How the output of a bar is titled. */
function outputTitle({ command, key, label }: TimelineBar): string {
  return command === 'gate' ? `gate ${label}` : key;
}
