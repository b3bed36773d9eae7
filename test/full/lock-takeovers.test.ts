import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockTakeovers } from '../crash/lock-takeovers.ts';

const TAKEOVERS = Number(process.env['TAKEOVERS'] ?? 100_000);

test('a hundred thousand contended takeovers of a lock have one winner each', async (t) => {
  const seed = Number(process.env['SEED'] ?? 1);
  const figures = await lockTakeovers(TAKEOVERS, seed, 100);
  t.diagnostic(`seed ${seed}: ${JSON.stringify(figures)}`);
  assert.ok(figures.takeovers >= TAKEOVERS);
  assert.equal(figures.twoWinners, 0);
});
