import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { LimitStep } from '../../test/support/drive-limits.ts';
import { ONE_EACH, driveLimits } from '../../test/support/drive-limits.ts';
import type { Limit } from './limits.ts';
import { LimitPool } from './limits.ts';

const TWO_A_SECOND: readonly Limit[] = [{ key: 'x', rate: { startsMax: 2, perMs: 1000 } }];

describe('a limit on how often something starts', () => {
  const cases: [why: string, steps: LimitStep[], expected: string][] = [
    [
      'the third start in a second waits',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'an end of an earlier command frees nothing',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'the window slides with each start',
      [
        ['ask', 'a', 'x'],
        ['at', 500],
        ['ask', 'b', 'x'],
        ['at', 1000],
        ['ask', 'c', 'x'],
        ['ask', 'd', 'x'],
      ],
      'a b c | d',
    ],
    [
      'after the clock is set back, earlier starts count as starts of now',
      [
        ['at', 1e9],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['at', 0],
        ['ask', 'c', 'x'],
        ['at', 999],
      ],
      'a b | c',
    ],
    [
      'after the clock is set back, they count no longer than the window',
      [
        ['at', 1e9],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['at', 0],
        ['ask', 'c', 'x'],
        ['at', 1000],
      ],
      'a b c |',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(driveLimits(TWO_A_SECOND, steps), expected));

  test('starts of an earlier owner count, in whatever order they are read', () => {
    for (const starts of [
      [5000, 4900, 100],
      [100, 4900, 5000],
    ]) {
      const pool = new LimitPool(TWO_A_SECOND);
      for (const start of starts) pool.countStart(['x'], at(start), at(5000));
      assert.equal(pool.admit('a', ['x'], at(5000)), false);
      assert.equal(pool.nextStartTime(at(5000)), 5900);
      assert.equal(pool.admit('a', ['x'], at(5900)), true);
    }
  });

  test('the window counts from the start, however long after the admission', () => {
    const pool = new LimitPool([{ key: 'x', rate: { startsMax: 1, perMs: 1000 } }]);
    assert.equal(pool.admit('a', ['x'], at(0)), true);
    assert.equal(pool.admit('b', ['x'], at(5000)), false);
    assert.equal(pool.nextStartTime(at(5000)), undefined);
    pool.started(['x'], at(6000));
    assert.equal(pool.nextStartTime(at(6000)), at(7000));
    assert.equal(pool.admit('b', ['x'], at(6999)), false);
    assert.equal(pool.admit('b', ['x'], at(7000)), true);
  });

  test('a command that was admitted and never started uses up nothing', () => {
    const pool = new LimitPool([
      { key: 'x', concurrencyMax: 1, rate: { startsMax: 1, perMs: 1000 } },
    ]);
    assert.equal(pool.admit('a', ['x'], at(0)), true);
    pool.withdrawn(['x']);
    assert.equal(pool.admit('b', ['x'], at(0)), true);
  });

  test('there is no next chance if no command waits for a rate', () => {
    const pool = new LimitPool([...ONE_EACH, ...TWO_A_SECOND]);
    assert.equal(pool.nextStartTime(at(0)), undefined);
    pool.admit('a', ['y'], at(0));
    pool.admit('b', ['y'], at(0));
    assert.equal(pool.nextStartTime(at(0)), undefined);
  });
});
