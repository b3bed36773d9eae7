/** Times of schedules that started no run: nothing else of the morning would say that a night was empty. */
import { z } from 'zod';
import type { ScheduleEvent } from '../../protocol/event.ts';

/** More than a person reads. A schedule that is due each minute fills it in minutes. */
const TIMES_MAX = 20;

export const TimeWithoutRun = z.strictObject({
  schedule: z.string(),
  /** The last of them; milliseconds since 1970. */
  due: z.number(),
  /** How many times of the period had the same reason. */
  times: z.int(),
  /** `missed`: no owner ran. `still-running`: the run of an earlier time had not ended. */
  because: z.enum(['missed', 'still-running', 'refused']),
  /** The words of the refusal. */
  why: z.string().nullable(),
});
export type TimeWithoutRun = z.infer<typeof TimeWithoutRun>;

/** One for each schedule and reason, the newest first. `facts`: oldest first. */
export function timesWithoutRun(
  facts: readonly ScheduleEvent[],
  since: number,
): readonly TimeWithoutRun[] {
  const found = new Map<string, TimeWithoutRun>();
  for (const fact of facts) {
    if (fact.at < since) continue;
    if (fact.type !== 'schedule.skipped' && fact.type !== 'schedule.refused') continue;
    const { name: schedule, due } = fact.payload;
    const [because, why] =
      fact.type === 'schedule.refused'
        ? (['refused', fact.payload.why] as const)
        : ([fact.payload.because, null] as const);
    const key = JSON.stringify([schedule, because, why]);
    const times = (found.get(key)?.times ?? 0) + 1;
    found.delete(key); // the last of the map is the newest
    found.set(key, { schedule, due, times, because, why });
  }
  return [...found.values()].toReversed().slice(0, TIMES_MAX);
}

export function describeTimeWithoutRun({ schedule, because, why }: TimeWithoutRun): string {
  switch (because) {
    case 'missed':
      return `schedule ${schedule} started no run: no owner ran at its time`;
    case 'still-running':
      return `schedule ${schedule} started no second run: the last one still worked`;
    case 'refused':
      return `schedule ${schedule} started no run: ${why ?? 'it was refused'}`;
  }
}
