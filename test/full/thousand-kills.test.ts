import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killStorm } from '../crash/kill-storm.ts';

test('a thousand random kills of the owner lose no fact and leave no agent', async (t) => {
  const seed = Number(process.env['SEED'] ?? 1);
  const { kills, acknowledged, orphaned, lostFacts, survivors } = await killStorm(1000, seed);
  t.diagnostic(
    `seed ${seed}: ${kills} kills, ${acknowledged} facts acknowledged, ${lostFacts} lost`,
  );
  t.diagnostic(`${orphaned} processes were alive when their owner died, ${survivors} outlived it`);
  assert.deepEqual({ lostFacts, survivors }, { lostFacts: 0, survivors: 0 });
});
