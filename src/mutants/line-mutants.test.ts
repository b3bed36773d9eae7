import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lineMutants } from './line-mutants.ts';
import { applyMutant } from './mutant.ts';

type Case = readonly [why: string, path: string, text: string, expected: readonly string[]];

const CASES: readonly Case[] = [
  [
    'a condition of Python is negated and swapped',
    'a.py',
    'if a < b:',
    ['if not (a < b):', 'if a >= b:'],
  ],
  [
    'a result of Python is replaced',
    'a.py',
    '    return a + 1',
    ['    return None', '    return a - 1', '    return a + 2'],
  ],
  ['a call of Python is deleted', 'a.py', '  log(x)', ['  pass']],
  ['an assignment of Python is deleted', 'a.py', 'x += y', ['pass']],
  ['a comment is left alone', 'a.py', '# if a < 3:', []],
  ['a string is left alone', 'a.py', 'raise Bad("a < 3 and b")', []],
  ['a text in three quotes is left alone', 'a.py', '"""\nif a < 3:\n"""', []],
  ['an import is left alone', 'a.py', 'from a import b1', []],
  ['an open line is left alone', 'a.py', 'call(a < 3,', []],
  ['a version is no number', 'a.py', 'x.y(v1.2)', ['pass']],
  ['True is flipped', 'a.py', 'return True', ['return None', 'return False']],
  [
    'a condition of Java is negated',
    'A.java',
    '  if (a.size() > 3) {',
    ['  if (!(a.size() > 3)) {', '  if (a.size() <= 3) {', '  if (a.size() > 4) {'],
  ],
  ['a call of Java is deleted', 'A.java', '  list.add(x);', ['  ;']],
  ['a generic type is no comparison', 'A.java', 'List<String> a = b;', []],
  ['a condition of Go is negated', 'a.go', '\tif ok {', ['\tif !(ok) {']],
  ['a pattern of Rust is left alone', 'a.rs', 'if let Some(x) = y {', []],
  ['a condition of Ruby is negated', 'a.rb', 'if a', ['if !(a)']],
  ['another language has none', 'a.css', 'a { width: 3 }', []],
];

describe('mutants of lines', () => {
  for (const [why, path, text, expected] of CASES)
    test(why, () => {
      const all = new Set(text.split('\n').map((_, nth) => nth + 1));
      const found = lineMutants(path, text, all).map((mutant) => applyMutant(text, mutant));
      assert.deepEqual(found, expected);
    });

  test('are of the given lines alone', () => {
    const found = lineMutants('a.py', 'a = 1\nb = 2\n', new Set([2]));
    assert.deepEqual([...new Set(found.map(({ line }) => line))], [2]);
  });
});
