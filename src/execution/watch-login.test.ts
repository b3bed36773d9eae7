import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureClass } from '../failures/failure.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import { LOGIN_NOTICE_MS } from '../protocol/words/login-expiry.ts';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { watchLogin, withExpiredLogin } from './watch-login.ts';

const START = 1_000_000_000_000;
const HOUR = 3_600_000;

describe('the login of an attempt', () => {
  async function notesAfter(passMs: number, leftMs: number, isOver = false): Promise<unknown[]> {
    const clock = new ManualClock(START);
    const notes: unknown[] = [];
    const watch = watchLogin({
      environment: { login: { cli: 'claude', expiresAt: START + leftMs } },
      context: { note: async (note) => void notes.push(note) },
      ports: { clock },
    });
    if (isOver) watch[Symbol.dispose]();
    await clock.advance(passMs);
    await settle();
    watch[Symbol.dispose]();
    return notes;
  }

  const note = (leftMs: number): object => ({
    kind: 'login-expires',
    cli: 'claude',
    expiresAt: START + leftMs,
  });

  test('is noted at once if it is about to expire', async () => {
    assert.deepEqual(await notesAfter(0, LOGIN_NOTICE_MS - 1), [note(LOGIN_NOTICE_MS - 1)]);
  });

  test('is noted once, half an hour before it expires', async () => {
    assert.deepEqual(await notesAfter(8 * HOUR - LOGIN_NOTICE_MS - 1, 8 * HOUR), []);
    assert.deepEqual(await notesAfter(8 * HOUR, 8 * HOUR), [note(8 * HOUR)]);
  });

  test('is not watched after the attempt', async () => {
    assert.deepEqual(await notesAfter(8 * HOUR, 8 * HOUR, true), []);
  });

  const refused: AttemptOutcome = {
    kind: 'failed',
    reason: 'auth',
    message: '401',
    failure: {
      ...failureClass('auth'),
      reason: 'auth',
      message: '401',
      resetAt: null,
      evidence: [],
    },
  };
  const cases: [why: string, outcome: AttemptOutcome, leftMs: number | null, reason: string][] = [
    ['that a provider refuses after its end has run out', refused, 0, 'keys_missing'],
    ['that a provider refuses before its end is wrong', refused, 1, 'auth'],
    ['whose end is unknown is wrong', refused, null, 'auth'],
    ['has nothing to do with work that is done', { kind: 'completed', summary: 'x' }, 0, ''],
  ];
  for (const [why, outcome, leftMs, reason] of cases)
    test(why, () => {
      const login = leftMs === null ? undefined : { cli: 'claude', expiresAt: START + leftMs };
      const found = withExpiredLogin(outcome, login, { run: '0123456789', now: START });
      assert.equal(found.kind === 'failed' ? found.reason : '', reason);
      if (reason === 'keys_missing' && found.kind === 'failed')
        assert.match(
          found.failure?.message ?? '',
          /login of claude .* supervisor resume 0123456789/,
        );
    });
});
