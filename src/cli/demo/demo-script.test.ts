import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoPlan } from './demo-script.ts';

test('the demo tells the same story with few steps and with many', () => {
  const story = ['limit', 'kill', 'lie'];
  for (const [steps, places] of [
    [8, [2, 4, 6]],
    [16, [4, 8, 12]],
  ] as const)
    assert.deepEqual(
      demoPlan(steps),
      places.map((place, at) => [place, story[at]]),
    );
});
