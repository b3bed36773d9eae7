import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { LimitStep } from '../../test/support/drive-limits.ts';
import { ONE_EACH, driveLimits } from '../../test/support/drive-limits.ts';
import { LimitPool } from './limits.ts';

describe('the own maximum of a request', () => {
  const cases: [why: string, steps: LimitStep[], expected: string][] = [
    [
      'may be above the limit',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x=2'],
        ['ask', 'c', 'x=2'],
      ],
      'a b | c',
    ],
    [
      'may be below the limit: a command that wants the key alone waits for all that run',
      [
        ['ask', 'a', 'y=3'],
        ['ask', 'b', 'y=3'],
        ['ask', 'c', 'y=1'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
    [
      'admits that command when the others have ended',
      [
        ['ask', 'a', 'y=3'],
        ['ask', 'b', 'y=3'],
        ['ask', 'c', 'y=1'],
        ['end', 'a'],
        ['end', 'b'],
      ],
      'a b c |',
    ],
    [
      'holds for a key without a limit',
      [
        ['ask', 'a', 'z=1'],
        ['ask', 'b', 'z=1'],
        ['ask', 'c', 'z'],
      ],
      'a c | b',
    ],
    [
      'is the stricter one if a key is named twice',
      [
        ['ask', 'a', 'z=2'],
        ['ask', 'b', 'z=2 z=1'],
        ['ask', 'c', 'z=1 z=2'],
        ['ask', 'd', 'z=1 z'],
      ],
      'a | b c d',
    ],
    [
      'keeps the order of equal requests',
      [
        ['ask', 'a', 'x=1'],
        ['ask', 'b', 'x=1'],
        ['ask', 'c', 'x=1'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(driveLimits(ONE_EACH, steps), expected));

  test('delays a request that is stricter than all others, but not for ever', () => {
    const pool = new LimitPool([]);
    const [easy, strict] = [[{ key: 'x', max: 2 }], [{ key: 'x', max: 1 }]];
    for (const token of ['0', '1']) assert.equal(pool.admit(token, easy, at(0)), true);
    assert.equal(pool.admit('strict', strict, at(0)), false);
    for (let round = 2; round < 100; round += 1) {
      pool.admit(String(round), easy, at(0));
      pool.ended(['x']);
      for (const token of pool.ready(at(0))) {
        if (token === 'strict') return;
        pool.admit(token, easy, at(0));
      }
    }
    assert.fail('it was passed over a hundred times');
  });
});
