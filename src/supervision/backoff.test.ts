import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Backoff } from './backoff.ts';
import { backoffMs, isHealthy, problemWithBackoff } from './backoff.ts';

const plain: Backoff = { baseMs: 2000, maxMs: 60_000 };

describe('the wait before a restart', () => {
  const cases: [why: string, Backoff, restarts: number, luck: number, expected: number][] = [
    ['the first waits the base', plain, 0, 0.5, 2000],
    ['each further one twice as long', plain, 3, 0.5, 16_000],
    ['never longer than the most', plain, 5, 0.5, 60_000],
    ['also after a thousand', plain, 1000, 0.5, 60_000],
    ['a factor of one waits evenly', { ...plain, factor: 1 }, 9, 0.5, 2000],
    ['bad luck lengthens', { ...plain, jitter: 0.1 }, 0, 1, 2200],
    ['good luck shortens', { ...plain, jitter: 0.1 }, 0, 0, 1800],
    ['chance does not lift the most', { ...plain, jitter: 0.5 }, 9, 0.99, 60_000],
    ['a base of nothing waits for nothing', { baseMs: 0, maxMs: 10 }, 5000, 0.5, 0],
  ];
  for (const [why, backoff, restarts, luck, expected] of cases) {
    test(why, () => assert.equal(backoffMs(backoff, restarts, luck), expected));
  }

  test('stays between nothing and the most, whatever chance brings', () => {
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
        (given, n, luck) => {
          const ms = backoffMs(given, n, luck);
          assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= given.maxMs, String(ms));
        },
      ),
    );
  });
});

test('who lived as long as the longest wait is well again, unless told otherwise', () => {
  assert.deepEqual(
    [isHealthy(plain, 59_999), isHealthy(plain, 60_000), isHealthy({ ...plain, healthyMs: 5 }, 5)],
    [false, true, true],
  );
});

test('a backoff that shrinks, or chances too much, is refused', () => {
  const unsound = [{ factor: 0.5 }, { jitter: 1.1 }, { baseMs: -1 }, { maxMs: Number.NaN }];
  for (const part of unsound)
    assert.notEqual(problemWithBackoff({ ...plain, ...part }), undefined, JSON.stringify(part));
  assert.equal(problemWithBackoff(plain), undefined);
});
