import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Json } from './json.ts';
import { canonicalJson, isRecord, parseJson } from './json.ts';

describe('what is a record', () => {
  const cases: [why: string, value: unknown, expected: boolean][] = [
    ['an object', {}, true],
    ['an object without a prototype', Object.create(null), true],
    ['not a list', [], false],
    ['not null', null, false],
    ['not a text', 'x', false],
    ['not undefined', undefined, false],
  ];
  for (const [why, value, expected] of cases)
    test(why, () => assert.equal(isRecord(value), expected));
});

test('JSON text becomes a value, and other text becomes undefined', () => {
  assert.deepEqual(['{"a":[1]}', 'null', '', '{', 'undefined'].map(parseJson), [
    { a: [1] },
    null,
    undefined,
    undefined,
    undefined,
  ]);
});

test('case 43: JSON is parsed unchanged, unless it is nested too deeply', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(parseJson(text), JSON.parse(text))));
  assert.notEqual(parseJson(nested(500)), undefined);
  assert.equal(parseJson(nested(501)), undefined);
  assert.equal(parseJson(nested(1_000_000)), undefined);
  const brackets = '["\\'.repeat(9000);
  assert.deepEqual(parseJson(JSON.stringify([brackets])), [brackets]);
  assert.equal(parseJson(`"${'['.repeat(600)} never ends`), undefined);
});

describe('canonical JSON', () => {
  test('has sorted keys at every depth', () => {
    const value: Json = { b: [{ d: 1, c: 2 }], a: null };
    assert.equal(canonicalJson(value), '{"a":null,"b":[{"c":2,"d":1}]}');
  });

  test('case 43: keeps a key that names the prototype', () => {
    const value = JSON.parse('{"b":1,"__proto__":{"a":2}}') as Json;
    assert.equal(canonicalJson(value), '{"__proto__":{"a":2},"b":1}');
  });

  test('is equal for equal values in any key order, and parses back to the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const stored = JSON.parse(JSON.stringify(value)) as Json;
        const text = canonicalJson(stored);
        assert.deepEqual(JSON.parse(text), stored);
        assert.equal(canonicalJson(reversed(stored)), text);
      }),
    );
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.toReversed().map(([key, part]) => [key, reversed(part)]));
}
