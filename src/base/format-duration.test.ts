import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from './format-duration.ts';

test('a duration has at most two units', () => {
  const cases: [ms: number, words: string][] = [
    [-5, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m00s'],
    [3_599_999, '59m59s'],
    [3_600_000, '1h00m'],
    [47 * 3_600_000 + 59 * 60_000, '47h59m'],
    [48 * 3_600_000, '2d00h'],
    [400 * 86_400_000, '400d00h'],
  ];
  assert.deepEqual(
    cases.map(([ms]) => formatDuration(ms)),
    cases.map(([, words]) => words),
  );
});
