import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { LimitBook } from './limits.ts';

describe('a rate', () => {
  test('is held against the starts of an earlier owner, read newest first', () => {
    const book = new LimitBook([{ key: 'x', rate: { startsMax: 2, perMs: 1000 } }]);
    for (const start of [5000, 4500, 3900, 1000]) book.remember(['x'], at(start), at(5100));
    assert.equal(book.admit('a', ['x'], at(5100)), false);
    assert.equal(book.nextChance(at(5100)), at(5500));
    assert.equal(book.admit('a', ['x'], at(5500)), true);
  });

  test('counts from the start, however long that was in coming', () => {
    const book = new LimitBook([{ key: 'x', rate: { startsMax: 1, perMs: 1000 } }]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    assert.equal(book.admit('b', ['x'], at(5000)), false);
    book.started(['x'], at(6000));
    assert.equal(book.nextChance(at(6000)), at(7000));
    assert.equal(book.admit('b', ['x'], at(6999)), false);
    assert.equal(book.admit('b', ['x'], at(7000)), true);
  });
});

describe('the line', () => {
  test('is served in its order: a newcomer does not take the room that comes free', () => {
    const book = new LimitBook([{ key: 'x', concurrencyMax: 1 }]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    assert.equal(book.admit('b', ['x'], at(1)), false);
    book.ended(['x']);
    assert.equal(book.admit('c', ['x'], at(2)), false);
    assert.equal(book.admit('b', ['x'], at(2)), true);
    assert.deepEqual(book.waiting(), ['c']);
  });

  test('lets pass who needs other keys than those that hold it up', () => {
    const book = new LimitBook([
      { key: 'x', concurrencyMax: 1 },
      { key: 'y', concurrencyMax: 1 },
    ]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    assert.equal(book.admit('b', ['x', 'y'], at(1)), false);
    assert.equal(book.admit('c', ['y'], at(2)), true);
  });
});
