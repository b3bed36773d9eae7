/** The events of runs at set times, in words. */
import type { ScheduleEvent } from '../../protocol/event.ts';

const SKIPPED = {
  missed: 'no owner ran then',
  'still-running': 'its last run still works',
} as const;

export function describeSchedule(
  event: ScheduleEvent,
): readonly [style: 'dim' | 'yellow' | 'cyan', text: string] {
  const { type, payload } = event;
  const what = `schedule ${payload.name}`;
  switch (type) {
    case 'schedule.added':
      return ['dim', `${what}: ${payload.cron} (${payload.timeZone})`];
    case 'schedule.removed':
      return ['dim', `${what} was removed`];
    case 'schedule.begun':
      return ['dim', `${what} is due: ${time(payload.due)}`];
    case 'schedule.started':
      return ['cyan', `${what} started run ${payload.run}`];
    case 'schedule.refused':
      return ['yellow', `${what} started no run: ${payload.why}`];
    case 'schedule.skipped':
      return ['yellow', `${what} skipped ${time(payload.due)}: ${SKIPPED[payload.because]}`];
  }
}

/** The line shows it in local time. */
function time(due: number): string {
  return new Date(due).toISOString();
}
