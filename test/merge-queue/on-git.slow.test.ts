/** The same pairs with real git and real gates. CI plays a sample, and `npm run test:full` all of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSampled } from '../support/sample.ts';
import { PAIRS, pairOf } from './pairs.ts';
import { expectedOf, playPair } from './play-pair.ts';
import { queueOnGit } from './queue-on-git.ts';

const ONE_IN = 40;

describe('the merge queue on real git', { timeout: 7_200_000 }, () => {
  test('lands no broken tip, whatever pair of patches it gets', async (t) => {
    const found = new Map<string, number>();
    let deaths = 0;
    for (let seed = 1; seed <= PAIRS; seed += 1) {
      if (!isSampled(seed, ONE_IN)) continue;
      const pair = pairOf(seed);
      await using machine = await queueOnGit(pair);
      const played = await playPair(pair, machine, { deaths: true });
      const { landed, second } = played;
      assert.deepEqual({ landed, second }, expectedOf(pair), `pair ${seed}: ${pair.what}`);
      await machine.checkRepository();
      found.set(pair.kind, (found.get(pair.kind) ?? 0) + 1);
      deaths += played.deaths;
    }
    t.diagnostic(`${JSON.stringify([...found])}, ${deaths} deaths`);
    assert.deepEqual([...found.keys()].toSorted(), ['broken', 'clean', 'conflict']);
  });
});
