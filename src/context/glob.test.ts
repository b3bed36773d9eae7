import assert from 'node:assert/strict';
import { matchesGlob } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { globMatcher } from './glob.ts';

describe('a pattern matches', () => {
  const cases: [pattern: string, path: string, expected: boolean][] = [
    ['README.md', 'README.md', true],
    ['README.md', 'docs/README.md', false],
    ['*.md', 'docs/README.md', false],
    ['**/*.md', 'README.md', true],
    ['**/*.md', 'a/b/README.md', true],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/**', 'docs', false],
    ['docs/', 'docs/a/b.md', true],
    ['**/*auth*', 'src/oauth.ts', true],
    ['**/*auth*', 'src/auth/x.ts', false],
    ['**/middleware/**', 'middleware/a.ts', true],
    ['src/{a,b/**}/x.ts', 'src/b/c/x.ts', true],
    ['src/{a,{b,c}}.ts', 'src/c.ts', true],
    ['a?.ts', 'ab.ts', true],
    ['a?.ts', 'a/.ts', false],
    ['[ab].ts', 'a.ts', true],
    ['[!ab].ts', 'a.ts', false],
    ['a+b(c).ts', 'a+b(c).ts', true],
    ['*.+(ts)', 'a.+(ts)', true],
    ['.github/workflows/**', '.github/workflows/ci.yml', true],
  ];
  for (const [pattern, path, expected] of cases) {
    test(`${pattern} ${expected ? '=' : '≠'} ${path}`, () =>
      assert.equal(globMatcher([pattern])(path), expected));
  }

  test('like the platform, for plain letters', () => {
    const piece = fc.constantFrom('a', 'b', '*', '?', 'a*', '**', '{a,b}', '[ab]');
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.join('/'));
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'c'), { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.join('/'));
    fc.assert(
      fc.property(pattern, path, (pattern, path) => {
        fc.pre(!pattern.endsWith('**')); // our choice: a folder does not match its own `**`
        assert.equal(globMatcher([pattern])(path), matchesGlob(path, pattern));
      }),
      { numRuns: 2000 },
    );
  });

  test('any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, path) => void globMatcher([pattern])(path)),
    );
  });
});
