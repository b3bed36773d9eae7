/**
 * Ten thousand random plans: the decisions of a feature alone, against invented ends of its commands. There is no engine,
 * no journal, no git and no process here. An owner that dies is simulated: its open commands are interrupted, and all facts
 * are folded again. `test/crash/feature-every-write.slow.test.ts` cuts the writes of a real engine. CI plays 200 of the
 * plans, and `npm run test:full` all of them.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { playPlan } from '../support/random-plan.ts';
import { isSampled } from '../support/sample.ts';

const PLANS = 10_000;
const ONE_IN = 50;
/** Each of these is played once for each of its decisions. */
const CUT_PLANS = 100;
const CUT_ONE_IN = 10;

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

  test('keeps these rules before whichever decision the owner dies', (t) => {
    let [plans, deaths] = [0, 0];
    for (let seed = 1; seed <= CUT_PLANS; seed += 1) {
      if (!isSampled(seed, CUT_ONE_IN)) continue;
      plans += 1;
      for (let diesAt = 0; ; diesAt += 1)
        try {
          if (playPlan(seed, diesAt).crashes === 0) break;
          deaths += 1;
        } catch (error) {
          throw new Error(`the plan of seed ${seed} breaks a rule, cut at ${diesAt}`, {
            cause: error,
          });
        }
    }
    t.diagnostic(`${plans} plans, ${deaths} deaths, one in each play`);
    assert.ok(deaths > plans, 'plans have more than one decision');
  });
});
