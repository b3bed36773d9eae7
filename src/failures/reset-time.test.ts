import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findResetTime } from './reset-time.ts';

describe('when a limit ends', () => {
  const now = '2026-11-15T12:00:00.000Z';
  const cases: [message: string, reset: string | null][] = [
    ['Please try again in 2s. Visit the docs', '2026-11-15T12:00:02.000Z'],
    ['Please try again in 20ms.', '2026-11-15T12:00:00.020Z'],
    ['Please try again in 1m30s.', '2026-11-15T12:01:30.000Z'],
    ['Please try again in 6h12m0s', '2026-11-15T18:12:00.000Z'],
    ['try again in 3 days 4 hours 12 minutes.', '2026-11-18T16:12:00.000Z'],
    ['Please retry in 34.5s.', '2026-11-15T12:00:34.500Z'],
    ['Suggested retry after 2s.. Retrying', '2026-11-15T12:00:02.000Z'],
    ['Your quota will reset after 21h5m3s.', '2026-11-16T09:05:03.000Z'],
    ['Please wait 34 minutes before trying', '2026-11-15T12:34:00.000Z'],
    ['"retryDelay":"36s"', '2026-11-15T12:00:36.000Z'],
    ['Claude AI usage limit reached|1794787200', '2026-11-16T00:00:00.000Z'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-11-15T15:00:00.000Z'],
    ["You've hit your limit · resets 11:30am (UTC)", '2026-11-16T11:30:00.000Z'],
    ['limit reached ∙ resets 3pm (America/New_York)', '2026-11-15T20:00:00.000Z'],
    ['resets 3pm (Etc/GMT+5)', '2026-11-15T20:00:00.000Z'],
    ['resets 3pm (Etc/GMT-14)', '2026-11-16T01:00:00.000Z'],
    ['resets 3pm (GMT+2)', '2026-11-15T13:00:00.000Z'],
    ['resets 3pm (UTC-05:30)', '2026-11-15T20:30:00.000Z'],
    ['resets 3pm (America/Argentina/Buenos_Aires)', '2026-11-15T18:00:00.000Z'],
    ['resets 3pm (EST5EDT)', '2026-11-15T20:00:00.000Z'],
    ['resets 3pm UTC', '2026-11-15T15:00:00.000Z'],
    ['resets 3pm (Etc/GMT+99)', null],
    ['resets Nov 20, 5pm (Europe/Berlin)', '2026-11-20T16:00:00.000Z'],
    ['resets Jan 3 at 12am (UTC)', '2027-01-03T00:00:00.000Z'],
    ['try again at Nov 17th, 2026 3:45 PM.', '2026-11-17T15:45:00.000Z'],
    ['try again at 3:45 PM.', '2026-11-15T15:45:00.000Z'],
    ['resets 3pm (Nowhere/Land)', null],
    ['Please try again later.', null],
    ['retried 5 times (total retry wait time: 10.94 seconds)', null],
    ['', null],
  ];
  for (const [message, reset] of cases)
    test(`${message || 'nothing'} → ${reset ?? 'it does not say'}`, () => {
      const found = findResetTime(message, Date.parse(now), 'UTC');
      assert.equal(found === null ? null : new Date(found).toISOString(), reset);
    });

  test('a time of day without a zone means the local zone', () => {
    const found = findResetTime('try again at 3:45 PM', Date.parse(now), 'Asia/Tokyo');
    assert.equal(new Date(found ?? 0).toISOString(), '2026-11-16T06:45:00.000Z');
  });
});
