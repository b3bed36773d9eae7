/** Runs at set times, as scripts read them. */
import { z } from 'zod';
import type { ScheduleView } from '../protocol/views/schedule-view.ts';
import { MISSED_POLICIES } from '../protocol/views/schedule-view.ts';
import { documentSchema, field, runId, time, toIso, toIsoOrNull } from './document.ts';

const LastTime = z.strictObject({
  due: time,
  result: field(
    z.enum(['started', 'refused', 'missed', 'still_running']),
    'missed: no owner ran then. still_running: the run of an earlier time had not ended.',
  ),
  run_id: field(runId.nullable(), 'The last run that it started. Null: none.'),
  reason: field(z.string().nullable(), 'Why the run was refused.'),
});

export const SchedulesDocument = documentSchema('schedules', 'Runs that start at set times.', {
  schedules: z.array(
    z.strictObject({
      name: z.string(),
      cron: field(z.string(), 'Minute, hour, day, month and weekday.'),
      time_zone: z.string(),
      missed: field(
        z.enum(MISSED_POLICIES),
        'What happens to a time at which no owner ran: one run afterwards, or none.',
      ),
      project: z.string(),
      task: z.string(),
      added_at: time,
      next_at: field(time.nullable(), 'Null: never again.'),
      last: field(LastTime.nullable(), 'The last time that was due. Null: none was.'),
    }),
  ),
});

export function schedulesDocument(all: readonly ScheduleView[]): z.infer<typeof SchedulesDocument> {
  return {
    schema: 'supervisor.schedules/1',
    schedules: all.map(
      ({ name, cron, timeZone, missed, project, task, addedAt, nextAt, last }) => ({
        ...{ name, cron, time_zone: timeZone, missed, project, task },
        added_at: toIso(addedAt),
        next_at: toIsoOrNull(nextAt),
        last: last === null ? null : lastTime(last),
      }),
    ),
  };
}

function lastTime(last: NonNullable<ScheduleView['last']>): z.infer<typeof LastTime> {
  const { due, result, run, why } = last;
  return {
    due: toIso(due),
    result: result === 'still-running' ? 'still_running' : result,
    run_id: run,
    reason: why,
  };
}
