/** Random work in the forms of the five CLIs: nothing is found in healthy work, and something in every sick one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RandomWork } from '../../test/support/random-work.ts';
import { sickWork } from '../../test/support/sick-work.ts';
import { watchScript } from '../../test/support/turn-script.ts';
import { randomInt, seededRandom } from '../base/random.ts';

const HEALTHY_SEEDS = 200;
const SICK_SEEDS = 30;

test(`nothing is found in random healthy work, with the seeds 1 to ${HEALTHY_SEEDS}`, () => {
  const steering = { mode: 'steer', heldOut: 0, checkTurns: 1, cooldownTurns: 1 } as const;
  const fired = Array.from({ length: HEALTHY_SEEDS }, (_, nth) => {
    const script = new RandomWork(seededRandom(nth + 1)).script(5 + (nth % 10));
    return watchScript(script, { steering }).messages.map((text) => `seed ${nth + 1}: ${text}`);
  });
  assert.deepEqual(fired.flat(), []);
});

describe(`what goes wrong is found, with the seeds 1 to ${SICK_SEEDS}`, () => {
  for (const [place, { why }] of sickWork(seededRandom(0)).entries())
    test(why, () => {
      for (let seed = 1; seed <= SICK_SEEDS; seed += 1) {
        const random = seededRandom(seed);
        const before = new RandomWork(random).script(randomInt(random, 0, 5));
        const sick = sickWork(random)[place];
        const { found } = watchScript([...before, ...(sick?.script ?? [])]);
        const late = found
          .map((one) => one.split(' '))
          .filter(([at]) => Number(at) > before.length)
          .map(([, detector]) => detector);
        assert.ok(late.includes(sick?.detector), `seed ${seed}: ${late.join(', ') || 'nothing'}`);
      }
    });
});
