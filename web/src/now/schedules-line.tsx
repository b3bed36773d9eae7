/** The runs that start at set times, on one line: when each is due next. */
import type { ReactNode } from 'react';
import type { BoardSchedule } from '../../../src/protocol/views/board.ts';
import { moment, visible } from '../parts/words.ts';

export function Schedules({
  schedules,
  now,
}: {
  readonly schedules: readonly BoardSchedule[];
  readonly now: number;
}): ReactNode {
  if (schedules.length === 0) return null;
  return (
    <section className="group accounts-line" aria-label="Scheduled">
      <h2>
        Scheduled <span className="count">{schedules.length}</span>
      </h2>
      <ul>
        {schedules.map(({ name, cron, timeZone, task, nextAt }) => (
          <li key={name} title={visible(task)}>
            <b>{visible(name)}</b>
            <span className="window">
              {nextAt === null ? 'never again' : `next ${moment(nextAt, now)}`}
            </span>
            <span className="note">
              {visible(cron)} {visible(timeZone)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
