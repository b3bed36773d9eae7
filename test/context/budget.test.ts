import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packAtRandom } from './random-selections.ts';

test('no budget is exceeded in five hundred random selections', async () => {
  const { packed, tight } = await packAtRandom(500);
  assert.ok(packed > 250 && tight > 50, `${packed} packed, ${tight} tight: they test too little`);
});
