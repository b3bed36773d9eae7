/** The attempts of a run as bars on one line, as wide as they took long. An open bar ends now. */
import type { ReactNode } from 'react';
import type { TimelineBar } from '../../../src/protocol/views/timeline.ts';
import { formatDuration } from '../../../src/base/format-duration.ts';

const MARKS = { open: '▶', good: '✔', bad: '✖', limit: '⏸', lost: '⚡', plain: '' } as const;

export function Bars({
  bars,
  now,
}: {
  readonly bars: readonly TimelineBar[];
  readonly now: number;
}): ReactNode {
  const shown = bars.filter(({ command }) => command !== 'ask');
  if (shown.length === 0) return null;
  return (
    <ol className="bars">
      {shown.map((bar) => {
        const tookMs = Math.max(0, (bar.endedAt ?? now) - bar.begunAt);
        const words = describeBar(bar, tookMs);
        return (
          <li
            key={bar.key}
            className={`bar ${bar.command} ${bar.mark}`}
            style={{ flexGrow: Math.sqrt(tookMs + 1000) }}
            title={words}
          >
            <span aria-hidden="true">
              {bar.command === 'attempt' || bar.command === 'run' ? bar.label : ''}{' '}
              {MARKS[bar.mark]}
            </span>
            <span className="unseen">{words}</span>
          </li>
        );
      })}
    </ol>
  );
}

function describeBar(
  { key, command, label, mark, note, endedAt }: TimelineBar,
  tookMs: number,
): string {
  const what =
    command === 'attempt' ? `${key} with ${label}` : command === 'gate' ? `gate ${label}` : label;
  const how = endedAt === null ? 'open' : note === '' ? mark : note;
  return `${what}: ${how}, ${formatDuration(tookMs)}`;
}
