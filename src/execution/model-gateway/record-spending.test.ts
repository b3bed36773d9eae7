import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpendingRecorder } from './record-spending.ts';

test('the next note has everything that was spent while a note was written, once', async () => {
  const said: unknown[] = [];
  const written = Promise.withResolvers<void>();
  const spending = new SpendingRecorder(async (note) => {
    said.push(note);
    await written.promise;
  });
  spending.end(1, { tokens: 10, usd: 0.5, inputTokens: 7, outputTokens: 3 });
  spending.end(3, { tokens: 1, usd: null, inputTokens: 1, outputTokens: 0 });
  spending.end(2, { tokens: 2, usd: 0.25, inputTokens: 0, outputTokens: 2 });
  spending.end(4, null);
  written.resolve();
  await spending.recorded();
  await spending.recorded();
  assert.deepEqual(said, [
    {
      kind: 'spent',
      tokens: 10,
      usd: 0.5,
      calls: 1,
      inputTokens: 7,
      outputTokens: 3,
      unpriced: 0,
      settled: [1],
    },
    {
      kind: 'spent',
      tokens: 3,
      usd: 0.25,
      calls: 2,
      inputTokens: 1,
      outputTokens: 2,
      unpriced: 1,
      settled: [3, 2, 4],
    },
  ]);
});

test('the maximum cost of a call is recorded before the call begins', async () => {
  const said: unknown[] = [];
  const written = Promise.withResolvers<void>();
  const spending = new SpendingRecorder(async (note) => {
    await written.promise;
    said.push(note);
  });
  const begun = spending.begin(7, { tokens: 10, usd: null });
  written.resolve();
  await begun;
  assert.deepEqual(said, [{ kind: 'reserved', call: 7, tokens: 10, usd: 0, unpriced: true }]);
});

test('a repeated call is reserved after its earlier cost is recorded', async () => {
  const said: string[] = [];
  const written = Promise.withResolvers<void>();
  const spending = new SpendingRecorder(async (note) => {
    said.push(note.kind === 'spent' ? `spent ${note.settled.join()}` : note.kind);
    await written.promise;
  });
  spending.end(1, { tokens: 1, usd: 0, inputTokens: 1, outputTokens: 0 }); // its note is being written while the next one ends
  spending.end(2, { tokens: 1, usd: 0, inputTokens: 1, outputTokens: 0 });
  const begun = spending.begin(2, { tokens: 1, usd: 0 });
  written.resolve();
  await begun;
  assert.deepEqual(said, ['spent 1', 'spent 2', 'reserved']);
});
