/** Two hundred pairs of patches through the decisions of the merge queue. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHECK, PAIRS, applyPatch, isSound, pairOf } from './pairs.ts';
import { expectedOf, playPair } from './play-pair.ts';
import { queueInMemory } from './queue-in-memory.ts';

const SEEDS = Array.from({ length: PAIRS }, (_, nth) => nth + 1);

describe('the merge queue, with two hundred pairs of patches', () => {
  for (const deaths of [false, true])
    test(`lands no broken tip${deaths ? ', although owners die in between' : ''}`, async (t) => {
      const [found, died] = [new Map<string, number>(), [0]];
      for (const seed of SEEDS) {
        const pair = pairOf(seed);
        const played = await playPair(pair, queueInMemory(pair), { deaths });
        const { landed, second } = played;
        assert.deepEqual({ landed, second }, expectedOf(pair), `pair ${seed}: ${pair.what}`);
        if (pair.kind !== 'clean') assert.notEqual(played.second[0], 'passed');
        found.set(pair.kind, (found.get(pair.kind) ?? 0) + 1);
        died[0] = (died[0] ?? 0) + played.deaths;
      }
      t.diagnostic(`${JSON.stringify([...found])}, ${died[0]} deaths`);
      assert.deepEqual([...found.keys()].toSorted(), ['broken', 'clean', 'conflict']);
      assert.equal((died[0] ?? 0) > 0, deaths);
    });

  test('needs the gate: without it, each pair that is only wrong together lands broken', async () => {
    for (const seed of SEEDS) {
      const pair = pairOf(seed);
      if (pair.kind !== 'broken') continue;
      const machine = queueInMemory(pair);
      await playPair(pair, machine, { gates: false });
      assert.equal(isSound((await machine.branch()) ?? {}), false, `pair ${seed}: ${pair.what}`);
    }
  });

  test('has patches that are sound on their own', () => {
    for (const seed of SEEDS) {
      const { base, first, second, what } = pairOf(seed);
      for (const tree of [base, applyPatch(base, first), applyPatch(base, second)])
        assert.ok(isSound(tree), `pair ${seed}: ${what}`);
      assert.equal(base['check.mjs'], CHECK);
    }
  });
});
