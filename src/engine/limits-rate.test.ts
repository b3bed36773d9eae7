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
      'the third in a second waits',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'that an earlier one has ended makes no room',
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
      'a clock set back far counts the starts as of now',
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
      'and no longer than the window',
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

  test('starts of an earlier owner count, in whatever order they are told', () => {
    for (const starts of [
      [5000, 4900, 100],
      [100, 4900, 5000],
    ]) {
      const book = new LimitPool(TWO_A_SECOND);
      for (const start of starts) book.remember(['x'], at(start), at(5000));
      assert.equal(book.admit('a', ['x'], at(5000)), false);
      assert.equal(book.nextChance(at(5000)), 5900);
      assert.equal(book.admit('a', ['x'], at(5900)), true);
    }
  });

  test('counts from the start, however long that was in coming', () => {
    const book = new LimitPool([{ key: 'x', rate: { startsMax: 1, perMs: 1000 } }]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    assert.equal(book.admit('b', ['x'], at(5000)), false);
    assert.equal(book.nextChance(at(5000)), undefined);
    book.started(['x'], at(6000));
    assert.equal(book.nextChance(at(6000)), at(7000));
    assert.equal(book.admit('b', ['x'], at(6999)), false);
    assert.equal(book.admit('b', ['x'], at(7000)), true);
  });

  test('what was admitted and never began has used up nothing', () => {
    const book = new LimitPool([
      { key: 'x', concurrencyMax: 1, rate: { startsMax: 1, perMs: 1000 } },
    ]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    book.withdrawn(['x']);
    assert.equal(book.admit('b', ['x'], at(0)), true);
  });

  test('nobody waits for a rate: there is no next chance', () => {
    const book = new LimitPool([...ONE_EACH, ...TWO_A_SECOND]);
    assert.equal(book.nextChance(at(0)), undefined);
    book.admit('a', ['y'], at(0));
    book.admit('b', ['y'], at(0));
    assert.equal(book.nextChance(at(0)), undefined);
  });
});
