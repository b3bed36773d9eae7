import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stack } from './stack.ts';

test('each series of a stacked chart stands on those before it', () => {
  assert.deepEqual(
    stack([
      [1, 2],
      [3, 0],
      [1, 1],
    ]),
    [
      [1, 2],
      [4, 2],
      [5, 3],
    ],
  );
});
