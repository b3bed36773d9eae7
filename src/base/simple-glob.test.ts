import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simpleGlobSource } from './simple-glob.ts';

test('a glob matches the paths that a shell with globstar would match', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['src/*.ts', ['src/a.ts', 'src/.ts'], ['src/b/a.ts', 'src/a.tsx', 'src/axts']],
    ['a?c', ['abc'], ['ac', 'a/c', 'abbc']],
    ['src/**/a.ts', ['src/a.ts', 'src/b/c/a.ts'], ['src/ba.ts', 'a.ts']],
    ['src/**', ['src/a', 'src/b/c'], ['src', 'other/src/a']],
    ['a+(b)[c]{d}|$^.\\', ['a+(b)[c]{d}|$^.\\'], ['aab', 'a+(b)c']],
  ];
  for (const [glob, matching, others] of cases) {
    const pattern = new RegExp(`^${simpleGlobSource(glob)}$`, 's');
    assert.deepEqual(
      [...matching, ...others].filter((path) => pattern.test(path)),
      matching,
      glob,
    );
  }
});
