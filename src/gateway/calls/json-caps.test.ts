import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { measureJson, parseWithin } from './json-caps.ts';

const CAPS = { valuesMax: 1000, depthMax: 20, charsMax: 5000 };

describe('a JSON text is measured before it is parsed (H3)', () => {
  const refused: [why: string, text: string, excess: string][] = [
    ['many empty objects', `[${'{},'.repeat(1000)}{}]`, 'too many values'],
    ['many numbers', `[${'1,'.repeat(1000)}1]`, 'too many values'],
    ['many keys', `{${'"a":1,'.repeat(1000)}"a":1}`, 'too many values'],
    ['many values over many lines', `[${'1 ,\n\t'.repeat(1000)}1]`, 'too many values'],
    ['nested lists', `${'['.repeat(21)}${']'.repeat(21)}`, 'too many nested levels'],
    ['nested objects', `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`, 'too many nested levels'],
    ['brackets that never close', '['.repeat(500), 'too many nested levels'],
    ['a long string', `["${'x'.repeat(5001)}"]`, 'a string that is too long'],
    ['a long string of escaped quotes', `["${'\\"'.repeat(3000)}"]`, 'a string that is too long'],
    ['an unterminated string', `["${'x'.repeat(6000)}`, 'a string that is too long'],
    ['a long number', `[${'9'.repeat(2000)}]`, 'a string that is too long'],
    ['a long word that is not JSON', 'x'.repeat(2000), 'a string that is too long'],
  ];
  for (const [why, text, excess] of refused) {
    test(`${why}: ${excess}`, () => {
      assert.equal(measureJson(text, CAPS).excess, excess);
      assert.equal(parseWithin(text, CAPS), undefined);
    });
  }

  test('a text with few values passes and is parsed as usual', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isPretty) => {
        const text = JSON.stringify(value, null, isPretty ? 2 : 0);
        assert.equal(measureJson(text).excess, null);
        assert.deepEqual(parseWithin(text), JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  test('never counts fewer values than there are', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, item) => sum + count(item), 1)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        assert.ok(measureJson(text).values >= count(JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });
});
