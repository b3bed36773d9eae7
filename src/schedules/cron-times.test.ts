import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { checkCronTime, lastTime, nextTime } from './cron-times.ts';

const BERLIN = 'Europe/Berlin';

/** The times after the first of them that are due, in UTC. */
function timesFrom(cron: string, timeZone: string, from: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(from); found.length < count;) {
    at = nextTime({ cron, timeZone }, at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().slice(5, 16));
  }
  return found;
}

describe('a cron expression', () => {
  const rows: [why: string, cron: string, zone: string, from: string, due: string[]][] = [
    [
      'counts in its zone',
      '0 2 * * *',
      BERLIN,
      '2026-11-18T12:00Z',
      ['11-19T01:00', '11-20T01:00'],
    ],
    ['counts in UTC', '0 2 * * *', 'UTC', '2026-11-18T12:00Z', ['11-19T02:00', '11-20T02:00']],
    [
      'is due at three if clocks skip its half past two',
      '30 2 * * *',
      BERLIN,
      '2026-03-28T12:00Z',
      ['03-29T01:00', '03-30T00:30'],
    ],
    [
      'is due once if its half past two exists twice',
      '30 2 * * *',
      BERLIN,
      '2026-10-24T12:00Z',
      ['10-25T00:30', '10-26T01:30'],
    ],
    [
      'of every hour is due twice in an hour that exists twice',
      '30 * * * *',
      BERLIN,
      '2026-10-25T00:00Z',
      ['10-25T00:30', '10-25T01:30'],
    ],
    ['names weekdays', '0 6 * * 1-5', 'UTC', '2026-11-20T12:00Z', ['11-23T06:00']],
    ['has short names', '@daily', 'UTC', '2026-11-20T12:00Z', ['11-21T00:00']],
    ['waits for a leap year', '0 0 29 2 *', 'UTC', '2026-11-20T12:00Z', ['02-29T00:00']],
  ];
  for (const [why, cron, zone, from, due] of rows)
    test(why, () => assert.deepEqual(timesFrom(cron, zone, from, due.length), due));

  test('knows the last time, also if that is now', () => {
    const time = { cron: '0 2 * * *', timeZone: 'UTC' };
    const at = (text: string): string =>
      new Date(lastTime(time, Date.parse(text)) ?? 0).toISOString().slice(0, 16);
    assert.deepEqual(
      ['2026-11-19T01:59:59.999Z', '2026-11-19T02:00:00.000Z', '2026-11-19T02:00:00.001Z'].map(at),
      ['2026-11-18T02:00', '2026-11-19T02:00', '2026-11-19T02:00'],
    );
  });

  const wrong: [cron: string, zone: string, message: RegExp][] = [
    ['0 2 * *', 'UTC', /"0 2 \* \*" is no time of a schedule: it does not have five fields\.$/],
    ['0 0 2 * * *', 'UTC', /five fields/],
    ['60 * * * *', 'UTC', /Invalid value for minute: 60\.$/],
    ['@never', 'UTC', /is no time of a schedule/],
    ['0 0 30 2 *', 'UTC', /it is never due/],
    ['', 'UTC', /five fields/],
    ['0 2 * * *', 'Mars/Olympus', /"Mars\/Olympus" is no time zone\.$/],
  ];
  for (const [cron, timeZone, message] of wrong)
    test(`${JSON.stringify(cron)} in ${timeZone} is refused`, () =>
      assert.throws(
        () => checkCronTime({ cron, timeZone }, Date.parse('2026-11-18T12:00Z')),
        (error) => isRefusal(error, 'usage.invalid') && message.test(error.message),
      ));
  test('that is right is not', () =>
    checkCronTime({ cron: '*/5 0-6 * * 1,3', timeZone: BERLIN }, 0));
});
