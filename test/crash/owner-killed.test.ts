import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killStorm } from './kill-storm.ts';

test('case 34: an owner that is killed again and again loses no fact and leaves no agent', async (t) => {
  const { kills, acknowledged, orphaned, lostFacts, survivors } = await killStorm(10, 1);
  t.diagnostic(
    `${kills} kills, ${acknowledged} facts acknowledged, ${orphaned} processes orphaned`,
  );
  assert.deepEqual({ lostFacts, survivors }, { lostFacts: 0, survivors: 0 });
  assert.ok(acknowledged > kills, 'a storm in which nothing was acknowledged proves nothing');
  assert.ok(orphaned > 0, 'a storm in which no agent was alive proves nothing');
});
