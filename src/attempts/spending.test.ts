import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Spending } from './spending.ts';

test('what is spent while a note is written is in the next one, and nothing is said twice', async () => {
  const said: unknown[] = [];
  const written = Promise.withResolvers<void>();
  const spending = new Spending(async (note) => {
    said.push(note);
    await written.promise;
  });
  spending.add({ tokens: 10, usd: 0.5, inputTokens: 7, outputTokens: 3 });
  spending.add({ tokens: 1, usd: null, inputTokens: 1, outputTokens: 0 });
  spending.add({ tokens: 2, usd: 0.25, inputTokens: 0, outputTokens: 2 });
  written.resolve();
  await spending.said();
  await spending.said();
  assert.deepEqual(said, [
    {
      kind: 'spent',
      tokens: 10,
      usd: 0.5,
      calls: 1,
      inputTokens: 7,
      outputTokens: 3,
      unpriced: 0,
    },
    {
      kind: 'spent',
      tokens: 3,
      usd: 0.25,
      calls: 2,
      inputTokens: 1,
      outputTokens: 2,
      unpriced: 1,
    },
  ]);
});
