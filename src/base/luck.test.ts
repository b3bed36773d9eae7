import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { drawInt, drawOne, seededLuck } from './luck.ts';

function draw(seed: number): number[] {
  const luck = seededLuck(seed);
  return Array.from({ length: 20 }, () => luck());
}

test('the same seed gives the same luck, another seed another', () => {
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
});

test('luck is in [0, 1) and a drawn number in its range', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(50), (seed, low, span) => {
      const luck = seededLuck(seed);
      for (let draw = 0; draw < 20; draw += 1) {
        const drawn = luck();
        assert.ok(drawn >= 0 && drawn < 1);
        const number = drawInt(luck, low, low + span);
        assert.ok(Number.isInteger(number) && number >= low && number <= low + span);
      }
    }),
  );
});

test('every item is drawn sooner or later, and nothing else', () => {
  const luck = seededLuck(3);
  const drawn = new Set(Array.from({ length: 200 }, () => drawOne(luck, ['a', 'b', 'c'])));
  assert.deepEqual([...drawn].toSorted(), ['a', 'b', 'c']);
  assert.equal(
    drawOne(() => 1 - Number.EPSILON, ['a', 'b']),
    'b',
  );
});
