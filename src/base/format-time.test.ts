import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatClockTime,
  formatDate,
  formatMoment,
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
});
