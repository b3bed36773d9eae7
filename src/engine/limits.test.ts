import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { LimitStep } from '../../test/support/drive-limits.ts';
import { ONE_EACH, driveLimits } from '../../test/support/drive-limits.ts';
import type { Limit } from './limits.ts';
import { LimitPool } from './limits.ts';

describe('a limit on how many run at once', () => {
  const cases: [why: string, steps: LimitStep[], expected: string][] = [
    [
      'a key without a limit lets everybody in',
      [
        ['ask', 'a', 'z'],
        ['ask', 'b', 'z'],
      ],
      'a b |',
    ],
    [
      'no key at all is free',
      [
        ['ask', 'a', ''],
        ['ask', 'b', ''],
      ],
      'a b |',
    ],
    [
      'the second waits',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
    [
      'who asks again keeps one place',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
    [
      'the next in line follows',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'c', 'x'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
    [
      'who comes when there is room stands behind who waited for it',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'who needs another key is not held up',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x y'],
        ['ask', 'c', 'y'],
      ],
      'a c | b',
    ],
    [
      'who leaves the line frees what was kept for it',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
        ['forget', 'b'],
      ],
      'a c |',
    ],
    [
      'a key named twice counts once',
      [
        ['ask', 'a', 'x x'],
        ['end', 'a'],
        ['ask', 'b', 'x'],
      ],
      'a b |',
    ],
    [
      'an end of what never began changes nothing',
      [
        ['end', 'a'],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(driveLimits(ONE_EACH, steps), expected));

  test('a starred key limits each of its kind by itself', () => {
    const each: readonly Limit[] = [{ key: 'p:*', concurrencyMax: 1 }];
    const steps: LimitStep[] = [
      ['ask', 'a', 'p:1'],
      ['ask', 'b', 'p:1'],
      ['ask', 'c', 'p:2'],
      ['ask', 'd', 'q'],
    ];
    assert.equal(driveLimits(each, steps), 'a c d | b');
  });
});

test('what somebody had before is theirs, however full it is', () => {
  const book = new LimitPool(ONE_EACH);
  assert.equal(book.admit('a', ['x'], at(0)), true);
  book.reclaim(['x']);
  book.ended(['x']);
  assert.equal(book.admit('b', ['x'], at(0)), false);
  book.ended(['x']);
  assert.equal(book.admit('b', ['x'], at(0)), true);
});

test('the book tells when the line has changed, and not otherwise', () => {
  let told = 0;
  const book = new LimitPool(ONE_EACH, () => (told += 1));
  const heard = (): number => {
    const count = told;
    told = 0;
    return count;
  };
  book.admit('a', ['x'], at(0));
  assert.equal(heard(), 0);
  book.admit('b', ['x'], at(0));
  assert.equal(heard(), 1, 'b joins the line');
  book.admit('b', ['x'], at(0));
  assert.equal(heard(), 0, 'b is in it already');
  book.ended(['x']);
  assert.equal(heard(), 1, 'there is room');
  book.admit('b', ['x'], at(0));
  assert.equal(heard(), 1, 'b leaves the line: whoever was kept back by it may start');
  book.forget('nobody');
  book.ended([]);
  assert.equal(heard(), 0);
});

test('whoever needs less than when it joined the line is let in by what it needs now', () => {
  const book = new LimitPool(ONE_EACH);
  assert.equal(book.admit('a', ['x', 'y'], at(0)), true);
  assert.equal(book.admit('b', ['x', 'y'], at(0)), false);
  assert.equal(book.admit('b', ['y'], at(0)), false);
  book.ended(['y']);
  assert.deepEqual(book.ready(at(0)), ['b']);
  assert.equal(book.admit('b', ['y'], at(0)), true);
});
