import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDuration } from './write-duration.ts';

test('a duration is written with the largest unit that fits exactly', () => {
  const cases: [ms: number, written: string][] = [
    [1_800_000, '30m'],
    [5_400_000, '90m'],
    [7_200_000, '2h'],
    [90_000, '90s'],
    [172_800_000, '2d'],
    [500, '500ms'],
  ];
  for (const [ms, written] of cases) assert.equal(writeDuration(ms), written);
});
