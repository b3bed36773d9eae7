import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockTakeovers } from './lock-takeovers.ts';

const TAKEOVERS = 300;

test('R7: a lock whose holder is killed is taken over by exactly one waiting process', async (t) => {
  const seed = Number(process.env['SEED'] ?? 1);
  const figures = await lockTakeovers(TAKEOVERS, seed, 4);
  t.diagnostic(`seed ${seed}: ${JSON.stringify(figures)}`);
  assert.ok(figures.takeovers >= TAKEOVERS);
  assert.equal(figures.twoWinners, 0);
});
