import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { globMatcher } from '../context/glob.ts';
import { findCovered, findOverlap, patternsOverlap } from './patterns-overlap.ts';

describe('one path can match both patterns', () => {
  const rows: readonly [one: string, other: string, overlap: boolean][] = [
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/b.ts', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.js', false],
    ['src/*.ts', 'src/db/a.ts', false],
    ['src/**', 'src/db/a.ts', true],
    ['src/**', 'test/a.ts', false],
    ['**/*.test.ts', 'src/plan/a.ts', false],
    ['**/*.test.ts', 'src/plan/a.test.ts', true],
    ['src/**/index.ts', 'src/index.ts', true],
    ['src/**/index.ts', 'src/**/main.ts', false],
    ['src/a*c.ts', 'src/ab*.ts', true],
    ['src/a*c.ts', 'src/*d.ts', false],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/?.ts', 'src/a.ts', true],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['src/{a,b}.ts', 'src/c.ts', false],
    ['src/{a,b{1,2}}.ts', 'src/b2.ts', true],
    ['src/db', 'src/db/a.ts', true],
    ['src/db/', 'src/db/a.ts', true],
    ['src/db', 'src/db2/a.ts', false],
    ['**', 'a', true],
    ['src/**', 'src', true],
    ['src/[ab].ts', 'src/a.ts', true],
    // Letters in brackets are not compared.
    ['src/[ab].ts', 'src/c.ts', true],
  ];
  for (const [one, other, overlap] of rows)
    test(`${one} and ${other}: ${overlap ? 'yes' : 'no'}`, () => {
      assert.equal(patternsOverlap(one, other), overlap);
      assert.equal(patternsOverlap(other, one), overlap);
    });

  test('a pattern with too many alternatives overlaps with everything', () => {
    const many = `src/${'{a,b}'.repeat(10)}.ts`;
    assert.equal(patternsOverlap(many, 'docs/x.md'), true);
  });

  test('the answer is never no for two patterns that match the same path', () => {
    const part = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '?', '**', '{a,b}', '[ab]');
    const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'aab'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(pattern, pattern, path, (one, other, file) => {
        const matchesBoth = globMatcher([one])(file) && globMatcher([other])(file);
        return !matchesBoth || patternsOverlap(one, other);
      }),
      { numRuns: 3000 },
    );
  });

  test('names the first two patterns that overlap', () => {
    assert.deepEqual(findOverlap(['a.ts', 'src/*'], ['b.ts', 'src/c.ts']), ['src/*', 'src/c.ts']);
    assert.equal(findOverlap(['a.ts'], ['b.ts']), undefined);
  });

  const costly: readonly [why: string, one: string, other: string][] = [
    ['alternatives', `${'{a,a}'.repeat(6)}*a*a*b`, `${'{a,a}'.repeat(6)}*a*a*c`],
    ['letters', `${'*a'.repeat(450)}b`, `${'*a'.repeat(450)}c`],
    ['folders', `${'**/a/'.repeat(190)}b*`, `${'**/a/'.repeat(190)}c*`],
  ];
  for (const [why, one, other] of costly)
    test(`patterns with too many ${why} to compare overlap, after a bounded number of steps`, () => {
      const effort = { steps: 0 };
      assert.deepEqual(findOverlap([one], [other], effort), [one, other]);
      assert.ok(effort.steps < 1_000_000, `${effort.steps} steps`);
    });
});

describe('a file that a pattern covers', () => {
  const rows: readonly [file: string, pattern: string, isCovered: boolean][] = [
    ['src/a.ts', 'src/*.ts', true],
    ['src/a.ts', 'src', true],
    ['src/a.ts', 'lib/**', false],
    ['Makefile', 'Makefile', true],
    ['**', 'src/a.ts', false],
    ['**', '**', true],
    ['src/*.ts', 'src/a.ts', false],
    ['src/*.ts', 'src/*.ts', true],
    ['src/?', 'src/a', false],
    ['src/?', 'src/?', true],
    ['{src,lib}/a.ts', 'src/a.ts', false],
    ['src/[id].ts', 'src/a.ts', false],
    ['src/[id].ts', 'src/*', true],
  ];
  for (const [file, pattern, isCovered] of rows)
    test(`is named as it is: ${file} by ${pattern}: ${isCovered ? 'yes' : 'no'}`, () => {
      assert.equal(findCovered([file], [pattern]), isCovered ? file : undefined);
    });
});
