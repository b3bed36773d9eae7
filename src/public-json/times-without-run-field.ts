/** The field of a report with the times of schedules at which no run started. */
import { z } from 'zod';
import type { TimeWithoutRun } from '../reports/runs/times-without-run.ts';
import { field, time, toIso } from './document.ts';

export const timesWithoutRun = field(
  z.array(
    z.strictObject({
      schedule: z.string(),
      due: field(time, 'The last of them.'),
      times: field(z.int(), 'How many times had the same reason.'),
      because: field(
        z.enum(['missed', 'still_running', 'refused']),
        'missed: no owner ran. still_running: the run of an earlier time had not ended.',
      ),
      reason: field(z.string().nullable(), 'The words of the refusal.'),
    }),
  ),
  'Times of schedules at which no run started.',
);

export function timesWithoutRunOf(
  all: readonly TimeWithoutRun[] = [],
): z.infer<typeof timesWithoutRun> {
  return all.map(({ schedule, due, times, because, why }) => ({
    ...{ schedule, due: toIso(due), times, reason: why },
    because: because === 'still-running' ? 'still_running' : because,
  }));
}
