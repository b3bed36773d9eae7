import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { linearRegex, compileRegex } from './linear-regex.ts';

describe('a pattern', () => {
  const refused: [source: string, why: string][] = [
    ['', 'it is empty'],
    ['(a)\\1', '\\1 is not supported'],
    ['(?=a)', 'look-around and named groups are not supported'],
    ['a(?<n>b)', 'look-around and named groups are not supported'],
    ['a*?', 'a quantifier follows a quantifier'],
    ['*a', 'a * has nothing before it'],
    ['(a', 'it ends unexpectedly'],
    ['a)', 'a ) has no matching ('],
    ['[a', 'it ends unexpectedly'],
    ['[z-a]', 'z-a is not a range'],
    ['a{1,999}', 'a repetition is not between 0 and 200'],
    ['a{,3}', 'a { is not a quantifier (write \\{)'],
    ['\\q', '\\q is not supported'],
    ['^*', 'a quantifier follows ^, $ or \\b'],
    ['((((a{50}){50}){50}){50})', 'it is too large'],
    ['x'.repeat(2001), 'it is longer than 2000 characters'],
  ];
  for (const [source, why] of refused)
    test(`${source.slice(0, 30) || '(nothing)'} is refused: ${why}`, () =>
      assert.deepEqual(compileRegex(source), { kind: 'refused', why }));

  test('matches the same texts as a backtracking engine', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '1',
      '_',
      ' ',
      '.',
      '\\d',
      '\\w',
      '\\b',
      '[ab]',
      '[^a1]',
      '[a-c_]',
    );
    const piece = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('node'), fc.constantFrom('?', '*', '+', '{2}', '{0,2}', '{1,}'))
          .map(([a, times]) => `(x|${a})${times}`),
      ),
    })).node;
    const anchored = fc
      .tuple(fc.boolean(), piece, fc.boolean())
      .map(([a, p, b]) => `${a ? '^' : ''}${p}${b ? '$' : ''}`);
    const text = fc.string({
      unit: fc.constantFrom('a', 'A', 'b', 'B', 'c', '1', '_', ' ', 'x'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(anchored, text, (source, given) => {
        assert.equal(linearRegex(source).matches(given), new RegExp(source, 'i').test(given));
      }),
      { numRuns: 2000 },
    );
  });

  test('case 45: is fast even if a backtracking engine would never end', () => {
    const evil = linearRegex('^(a+)+(a*)*(a|a)*b$');
    assert.equal(evil.matches('a'.repeat(20_000)), false);
    assert.equal(evil.matches(`${'a'.repeat(20_000)}b`), true);
  });
});
