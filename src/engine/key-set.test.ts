import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { CommandKey } from '../base/ids.ts';
import { commandKey } from '../base/ids.ts';
import type { KeySet } from './key-set.ts';
import { NO_KEYS, hasKey, withKey } from './key-set.ts';

function setOf(...keys: readonly string[]): KeySet {
  return keys.map(commandKey).reduce(withKey, NO_KEYS);
}

describe('keys are stored as ranges', () => {
  const cases: [why: string, keys: string[], expected: KeySet][] = [
    ['numbers in a row', ['a-1', 'a-2', 'a-3'], { a: [[1, 3]] }],
    ['in any order', ['a-3', 'a-1', 'a-2'], { a: [[1, 3]] }],
    [
      'with a gap',
      ['a-1', 'a-3'],
      {
        a: [
          [1, 1],
          [3, 3],
        ],
      },
    ],
    ['a gap that is filled joins both sides', ['a-1', 'a-3', 'a-2'], { a: [[1, 3]] }],
    ['a key twice', ['a-1', 'a-1'], { a: [[1, 1]] }],
    ['names apart', ['a-1', 'b-1'], { a: [[1, 1]], b: [[1, 1]] }],
    ['without a number', ['a'], { a: [[-1, -1]] }],
    ['a number with a nought before it is part of the name', ['a-01'], { 'a-01': [[-1, -1]] }],
    [
      'a number too long to be exact is part of the name',
      ['a-1234567890123456'],
      { 'a-1234567890123456': [[-1, -1]] },
    ],
    [
      'a name that every object has',
      ['constructor-1'],
      { constructor: [[1, 1]] } as unknown as KeySet,
    ],
  ];
  for (const [why, keys, expected] of cases)
    test(why, () => assert.deepEqual(setOf(...keys), expected));
});

test('a key that every object has is not in an empty set', () => {
  for (const key of ['constructor', 'constructor-1', 'a'])
    assert.equal(hasKey(NO_KEYS, commandKey(key)), false);
});

test('a hundred thousand keys in a row are a few bytes', () => {
  let keys = NO_KEYS;
  for (let n = 1; n <= 100_000; n += 1) keys = withKey(keys, `attempt-${n}` as CommandKey);
  assert.equal(JSON.stringify(keys), '{"attempt":[[1,100000]]}');
});

test('it has exactly the keys that a plain set has, also after it was stored as JSON', () => {
  const name = fc.constantFrom('a', 'a-1', 'b', 's0/1', 'a-0', 'b-');
  const number = fc.oneof(fc.nat(12), fc.constantFrom(999_999_999_999_999, 0));
  const key = fc
    .oneof(
      name,
      fc.tuple(name, number).map(([word, n]) => `${word}-${n}`),
      fc.tuple(name, number).map(([word, n]) => `${word}-0${n}`),
    )
    .map(commandKey);
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 40 }),
      fc.array(key, { maxLength: 40 }),
      (put, asked) => {
        const plain = new Set(put);
        const folded = put.reduce(withKey, NO_KEYS);
        const keys = JSON.parse(JSON.stringify(folded)) as KeySet;
        assert.deepEqual(keys, folded);
        for (const one of [...put, ...asked]) assert.equal(hasKey(keys, one), plain.has(one), one);
        for (const ranges of Object.values(keys)) {
          for (const [index, [first, last]] of ranges.entries()) {
            assert.ok(first <= last);
            assert.ok(index === 0 || (ranges[index - 1]?.[1] ?? 0) + 1 < first, 'ranges are apart');
          }
        }
      },
    ),
  );
});
