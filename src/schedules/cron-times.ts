/**
 * When a cron expression is due, in a time zone. A time that does not exist on a day, because clocks go forward, is due
 * when the clocks have moved. A time that exists twice, because they go back, is due once; an expression with
 * a star in its hours, such as `30 * * * *`, is due in both hours.
 */
import { Cron } from 'croner';
import { Refusal } from '../base/errors.ts';

export type CronTime = { readonly cron: string; readonly timeZone: string };

/** The library names itself at the beginning of its messages. */
const OWN_NAME = /^CronPattern: /;

/** Refuses an expression that is wrong, and a zone that does not exist. */
export function checkCronTime(time: CronTime, now: number): void {
  try {
    Intl.DateTimeFormat('en', { timeZone: time.timeZone });
  } catch {
    throw new Refusal({
      code: 'usage.invalid',
      message: `${JSON.stringify(time.timeZone)} is no time zone.`,
      hint: 'Write its name, such as Europe/Berlin or UTC.',
    });
  }
  const words = problemOf(time, now);
  if (words === undefined) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(time.cron)} is no time of a schedule: ${words}.`,
    hint: 'Write five fields: minute, hour, day, month, weekday. Every night at two: "0 2 * * *"',
  });
}

function problemOf(time: CronTime, now: number): string | undefined {
  if (!time.cron.startsWith('@') && time.cron.trim().split(/\s+/).length !== 5)
    return 'it does not have five fields';
  try {
    return nextTime(time, now) === undefined ? 'it is never due' : undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace(OWN_NAME, '');
  }
}

/** The first time after `after`. Undefined: there is none. */
export function nextTime(time: CronTime, after: number): number | undefined {
  return parse(time).nextRun(new Date(after))?.getTime();
}

/** The last time that is not after `now`. Undefined: there was none. */
export function lastTime(time: CronTime, now: number): number | undefined {
  const cron = parse(time);
  const before = cron.previousRuns(1, new Date(now))[0]?.getTime();
  const next = cron.nextRun(new Date(before ?? now - 1))?.getTime();
  return next !== undefined && next <= now ? next : before;
}

/** Without a function it starts no timer. */
function parse({ cron, timeZone }: CronTime): Cron {
  return new Cron(cron, { timezone: timeZone, mode: '5-part' });
}
