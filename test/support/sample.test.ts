import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSampled, sampleOf } from './sample.ts';

const NUMBERS = [1, 2, 3, 4, 5, 6, 7];

test('all cases are played without a seed, and one in so many with one', () => {
  const played = (seed: string | null): readonly number[] =>
    NUMBERS.filter((number) => isSampled(number, 3, seed));
  assert.deepEqual([null, '0', '1', '2'].map(played), [NUMBERS, [3, 6], [2, 5], [1, 4, 7]]);
});

test('each row of a table gets one of the items, and two seeds together get all', () => {
  const rows = (seed: string | null): readonly string[] =>
    [0, 1, 2].map((row) => sampleOf(['gone', 'broken'], row, seed).join(' and '));
  assert.deepEqual([null, '4', '5'].map(rows), [
    ['gone and broken', 'gone and broken', 'gone and broken'],
    ['gone', 'broken', 'gone'],
    ['broken', 'gone', 'broken'],
  ]);
});
