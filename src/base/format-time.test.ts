import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatClockTime,
  formatDate,
  formatMoment,
  formatSpan,
  formatTime,
  withLocalTimes,
} from './format-time.ts';

const NOW = new Date(2026, 2, 5, 14, 5, 9).getTime(); // local time, in any zone
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

describe('a time is shown', () => {
  const cases: [why: string, at: number, expected: string][] = [
    ['as now within seconds', NOW - 2 * SECOND, 'just now'],
    ['relative if it is recent', NOW - 5 * MINUTE - 12 * SECOND, '5m12s ago'],
    ['relative if it is near', NOW + 3 * HOUR + 5 * MINUTE, 'in 3h05m'],
    ['as local date and time from a day on', NOW - 24 * HOUR, '2026-03-04 14:05'],
    ['as local date and time in the far future', NOW + 48 * HOUR, '2026-03-07 14:05'],
  ];
  for (const [why, at, expected] of cases)
    test(why, () => assert.equal(formatTime(at, NOW), expected));

  test('in full in a text that is read later', () => {
    assert.equal(formatDate(NOW), '2026-03-05 14:05');
  });

  test('without the date in a sentence about today', () => {
    assert.equal(formatMoment(NOW + HOUR, NOW), '15:05');
    assert.equal(formatMoment(NOW + 24 * HOUR, NOW), '2026-03-06 14:05');
  });

  test('in local time, where a recorded text has UTC', () => {
    const text = `a until ${new Date(NOW).toISOString()} (limit), b until 2026-13-99`;
    assert.equal(withLocalTimes(text, NOW), 'a until 14:05 (limit), b until 2026-13-99');
  });

  test('without the date in a list of events of today', () => {
    assert.equal(formatClockTime(NOW - SECOND, NOW), '14:05:08');
    assert.equal(formatClockTime(NOW - 24 * HOUR, NOW), '2026-03-04 14:05:09');
  });

  const spans: [why: string, from: string, to: string | null, zone: string, expected: string][] = [
    ['both on the clock if it began today', '02:14', '02:31', 'UTC', '02:14–02:31'],
    [
      'in the zone that is asked for',
      '02:14',
      '02:31',
      'America/New_York',
      '2026-03-04 21:14–21:31',
    ],
    ['open while it lasts', '02:14', null, 'Asia/Tokyo', '11:14–'],
  ];
  for (const [why, from, to, zone, expected] of spans)
    test(`as a span, ${why}`, () => {
      const utc = (clock: string): number => Date.parse(`2026-03-05T${clock}:00Z`);
      const now = utc('14:05');
      assert.equal(formatSpan(utc(from), to === null ? null : utc(to), now, zone), expected);
    });

  test('as a span, with a second date only if a day or more passed', () => {
    const [from, now] = [Date.parse('2026-03-04T23:50:00Z'), Date.parse('2026-03-05T09:00:00Z')];
    assert.deepEqual(
      [1, 10, 24].map((hours) => formatSpan(from, from + hours * HOUR, now, 'UTC')),
      ['2026-03-04 23:50–00:50', '2026-03-04 23:50–09:50', '2026-03-04 23:50–2026-03-05 23:50'],
    );
  });
});
