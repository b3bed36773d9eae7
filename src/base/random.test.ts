import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { randomInt, randomItem, seededRandom } from './random.ts';

function draw(seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: 20 }, () => random());
}

test('the same seed gives the same numbers, another seed gives others', () => {
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
});

test('random numbers are in [0, 1), and random integers are in their range', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(50), (seed, low, span) => {
      const random = seededRandom(seed);
      for (let draw = 0; draw < 20; draw += 1) {
        const drawn = random();
        assert.ok(drawn >= 0 && drawn < 1);
        const number = randomInt(random, low, low + span);
        assert.ok(Number.isInteger(number) && number >= low && number <= low + span);
      }
    }),
  );
});

test('every item is chosen at some point, and nothing else', () => {
  const random = seededRandom(3);
  const drawn = new Set(Array.from({ length: 200 }, () => randomItem(random, ['a', 'b', 'c'])));
  assert.deepEqual([...drawn].toSorted(), ['a', 'b', 'c']);
  assert.equal(
    randomItem(() => 1 - Number.EPSILON, ['a', 'b']),
    'b',
  );
});
