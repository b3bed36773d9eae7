/**
 * Ten thousand random plans on the real engine and the journal in memory. Owners die at writes, agents hit limits, work is in
 * conflict, gates are red, and people hold, skip and stop. Agents, git and gates are invented:
 * `test/merge-queue/on-git.slow.test.ts` has the real git. CI plays 100 of the plans, and `npm run test:full` all of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playOnEngine } from '../support/engine-plan.ts';
import { isSampled } from '../support/sample.ts';

const PLANS = 10_000;
const ONE_IN = 100;

test(
  'a random plan on the engine builds each component once and forgets none, however often its owner dies',
  { timeout: 3_600_000 },
  async (t) => {
    const outcomes = new Map<string, number>();
    let [played, lives, facts] = [0, 0, 0];
    for (let seed = 1; seed <= PLANS; seed += 1) {
      if (!isSampled(seed, ONE_IN)) continue;
      try {
        const result = await playOnEngine(seed);
        outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1);
        [played, lives, facts] = [played + 1, lives + result.lives, facts + result.facts];
      } catch (error) {
        throw new Error(`the plan of seed ${seed} breaks a rule`, { cause: error });
      }
    }
    t.diagnostic(
      `${played} plans, ${lives} owners, ${facts} facts: ${JSON.stringify([...outcomes])}`,
    );
    assert.ok(lives > played, 'some owners died');
    assert.deepEqual([...outcomes.keys()].toSorted(), [
      ...['cancelled', 'failed', 'refused', 'succeeded'],
    ]);
  },
);
