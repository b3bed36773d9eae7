import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeLogin, LOGIN_NOTICE_MS } from './login-expiry.ts';

const NOW = Date.parse('2026-01-01T13:45:00Z');
const RENEW = 'Start claude once, which renews it, or log in again';

describe('a login', () => {
  const rows: [why: string, leftMs: number | null, words: string | null][] = [
    ['that is not known says nothing', null, null],
    ['that lasts says nothing', LOGIN_NOTICE_MS + 1, null],
    [
      'that is about to expire says when, and what to do',
      20 * 60_000,
      `the login of claude expires in 20m00s, at 2026-01-01T14:05:00.000Z. ${RENEW}. A run whose login expires waits for you`,
    ],
    [
      'that has expired says how to continue',
      0,
      `the login of claude expired at 2026-01-01T13:45:00.000Z. ${RENEW}, and resume the run`,
    ],
  ];
  for (const [why, leftMs, words] of rows)
    test(why, () => {
      const login = leftMs === null ? null : { cli: 'claude', expiresAt: NOW + leftMs };
      assert.equal(describeLogin(login, NOW), words);
    });
});
