import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packAtRandom } from '../context/random-selections.ts';

test('no budget is exceeded in ten thousand random selections', async (t) => {
  const tally = await packAtRandom(10_000);
  t.diagnostic(JSON.stringify(tally));
  assert.ok(tally.packed > 5000 && tally.tight > 1000, 'too few of them were tight');
});
