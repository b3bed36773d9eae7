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
});
