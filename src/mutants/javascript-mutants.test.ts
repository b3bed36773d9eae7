import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadJavaScript } from '../context/imports/javascript-imports.ts';
import { javascriptMutants } from './javascript-mutants.ts';
import { applyMutant } from './mutant.ts';

const parseSync = await loadJavaScript();

type Case = readonly [why: string, path: string, text: string, expected: readonly string[]];

const CASES: readonly Case[] = [
  [
    'a condition is negated and swapped',
    'a.js',
    'if (a < b) c',
    ['if (!(a < b)) c', 'if (a >= b) c', 'if (a < b) ;'],
  ],
  ['a result is replaced', 'a.js', 'function f() { return a }', ['function f() { return (null) }']],
  [
    'a boolean result is flipped',
    'a.js',
    'const f = () => true',
    ['const f = () => false', 'const f = () => false'],
  ],
  ['a result of null is replaced, too', 'a.js', 'const f = () => null', ['const f = () => (0)']],
  ['a statement is deleted', 'a.js', 'log(x);', [';']],
  ['a number changes by one', 'a.js', 'const a = 3;', ['const a = 4;']],
  [
    'an operator is swapped',
    'a.js',
    'const a = b + c && d',
    ['const a = b - c && d', 'const a = b + c || d'],
  ],
  ['a choice is negated', 'a.js', 'const a = b ? c : d', ['const a = !(b) ? c : d']],
  ['a string is left alone', 'a.js', "const a = 'b < 3'", []],
  ['a comment is left alone', 'a.js', '// if (a < 3) b()', []],
  ['a directive is left alone', 'a.js', "'use strict';", []],
  ['a type is left alone', 'a.ts', 'type A = B<3>; let a: Array<1 | 2>;', []],
  ['JSX is read', 'a.tsx', 'const a = <b c={1} />', ['const a = <b c={2} />']],
  ['a text that is broken has none', 'a.js', 'if (', []],
];

describe('mutants of JavaScript', () => {
  for (const [why, path, text, expected] of CASES)
    test(why, () => {
      const found = javascriptMutants(parseSync, path, text, new Set([1]));
      assert.deepEqual(
        found.map((mutant) => applyMutant(text, mutant)),
        expected,
      );
    });

  test('are of the given lines alone, and parse', () => {
    const text = 'export function clamp(a, b) {\n  if (a > b) return b;\n  return a;\n}\n';
    const found = javascriptMutants(parseSync, 'a.js', text, new Set([2]));
    assert.deepEqual(
      found.map(({ operator, line }) => `${line} ${operator}`),
      ['2 negate-condition', '2 swap-comparison', '2 replace-return'],
    );
    for (const mutant of found)
      assert.deepEqual(parseSync('a.js', applyMutant(text, mutant)).errors, []);
  });
});
