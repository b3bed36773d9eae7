import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GuessLimit } from './guess-limit.ts';

test('a limit on guesses refuses when it is reached, and allows again after its period', () => {
  const limit = new GuessLimit(2, 1000);
  const waits = [0, 100, 200, 999, 1000, 1100].map((now) => {
    const waitMs = limit.waitMs(now);
    if (waitMs === 0) limit.count(now);
    return waitMs;
  });
  assert.deepEqual(waits, [0, 0, 800, 1, 0, 0]);
});
