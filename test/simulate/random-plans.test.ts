/**
 * Ten thousand random plans in a world without processes: conflicts, red gates, limits, defects, owners that die, and
 * people who hold and skip. CI plays a sample, and `npm run test:full` all of them.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { playPlan } from '../support/random-plan.ts';
import { isSampled } from '../support/sample.ts';

const PLANS = 10_000;
const ONE_IN = 50;

describe('a random plan', { timeout: 900_000 }, () => {
  test('builds each component once, forgets none, and never lets two change the same file', (t) => {
    const outcomes = new Map<string, number>();
    let [played, crashes] = [0, 0];
    for (let seed = 1; seed <= PLANS; seed += 1) {
      if (!isSampled(seed, ONE_IN)) continue;
      try {
        const result = playPlan(seed);
        outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1);
        crashes += result.crashes;
        played += 1;
      } catch (error) {
        throw new Error(`the plan of seed ${seed} breaks a rule`, { cause: error });
      }
    }
    t.diagnostic(`${played} plans, ${crashes} deaths: ${JSON.stringify([...outcomes])}`);
    assert.ok(crashes > played / 2, 'most plans see the death of an owner');
    // Each way to end was played.
    assert.deepEqual([...outcomes.keys()].toSorted(), [
      ...['cancelled', 'failed', 'refused', 'succeeded'],
    ]);
  });
});
