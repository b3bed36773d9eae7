/** How many restarts are used of those allowed, as cells, and in words. */
import type { ReactNode } from 'react';
import { formatDuration } from '../../../src/base/format-duration.ts';
import type { RestartBudget } from '../../../src/protocol/views/tree-view.ts';
import { restartsUsed } from './tree-rows.ts';

/** More cells can't be counted at a glance. */
const CELLS_MAX = 12;

export function RestartMeter({
  budget,
  now,
}: {
  readonly budget: RestartBudget;
  readonly now: number;
}): ReactNode {
  const used = restartsUsed(budget, now);
  const { restartsMax, withinMs } = budget;
  const cells = Math.min(restartsMax, CELLS_MAX);
  const full = restartsMax === 0 ? 0 : Math.min(cells, Math.ceil((used * cells) / restartsMax));
  const words = `${used} of ${restartsMax} restarts used in ${formatDuration(withinMs)}`;
  return (
    <span className={`meter ${used >= restartsMax ? 'spent' : ''}`} title={words}>
      <span aria-hidden="true" className="cells">
        {Array.from({ length: cells }, (_, index) => (
          <i key={index} className={index < full ? 'full' : ''} />
        ))}
      </span>
      <span className="note" aria-hidden="true">
        {used}/{restartsMax} in {formatDuration(withinMs)}
      </span>
      <span className="unseen">{words}</span>
    </span>
  );
}

/** When the restarts were, over twice the window that counts. */
export function RestartHistory({
  budget,
  now,
}: {
  readonly budget: RestartBudget;
  readonly now: number;
}): ReactNode {
  const { withinMs, restartedAt } = budget;
  const from = now - 2 * withinMs;
  const recent = restartedAt.filter((at) => at >= from);
  return (
    <svg
      className="history"
      viewBox="0 0 200 26"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${recent.length} restarts in ${formatDuration(2 * withinMs)}`}
    >
      <rect className="window" x="100" y="0" width="100" height="26" />
      <line className="base" x1="0" x2="200" y1="25.5" y2="25.5" />
      {recent.map((at) => (
        <line
          key={at}
          className="restart"
          x1={(200 * (at - from)) / (2 * withinMs)}
          x2={(200 * (at - from)) / (2 * withinMs)}
          y1="4"
          y2="25"
        />
      ))}
    </svg>
  );
}
