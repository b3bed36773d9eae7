import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Backoff } from './backoff.ts';
import { backoffMs, isHealthy, problemWithBackoff } from './backoff.ts';

const plain: Backoff = { baseMs: 2000, maxMs: 60_000 };

describe('the wait before a restart', () => {
  const cases: [why: string, Backoff, restarts: number, random: number, expected: number][] = [
    ['the first restart waits the base', plain, 0, 0.5, 2000],
    ['each further restart waits twice as long', plain, 3, 0.5, 16_000],
    ['never longer than the maximum', plain, 5, 0.5, 60_000],
    ['a thousand restarts wait no longer either', plain, 1000, 0.5, 60_000],
    ['a factor of one waits evenly', { ...plain, factor: 1 }, 9, 0.5, 2000],
    ['a high random number lengthens the wait', { ...plain, jitter: 0.1 }, 0, 1, 2200],
    ['a low random number shortens the wait', { ...plain, jitter: 0.1 }, 0, 0, 1800],
    ['jitter does not exceed the maximum', { ...plain, jitter: 0.5 }, 9, 0.99, 60_000],
    ['a base of zero does not wait', { baseMs: 0, maxMs: 10 }, 5000, 0.5, 0],
  ];
  for (const [why, backoff, restarts, random, expected] of cases) {
    test(why, () => assert.equal(backoffMs(backoff, restarts, random), expected));
  }

  test('stays between zero and the maximum for every random number', () => {
    const backoff = fc.record({
      baseMs: fc.nat(10_000),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
      maxMs: fc.nat(100_000),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        backoff,
        fc.nat(2000),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (given, n, random) => {
          const ms = backoffMs(given, n, random);
          assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= given.maxMs, String(ms));
        },
      ),
    );
  });
});

test('a child that ran as long as the longest wait is healthy, unless configured otherwise', () => {
  assert.deepEqual(
    [isHealthy(plain, 59_999), isHealthy(plain, 60_000), isHealthy({ ...plain, healthyMs: 5 }, 5)],
    [false, true, true],
  );
});

test('a backoff that shrinks, or jitters too much, is refused', () => {
  const unsound = [{ factor: 0.5 }, { jitter: 1.1 }, { baseMs: -1 }, { maxMs: Number.NaN }];
  for (const part of unsound)
    assert.notEqual(problemWithBackoff({ ...plain, ...part }), undefined, JSON.stringify(part));
  assert.equal(problemWithBackoff(plain), undefined);
});
