import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileMode } from '../workspace/tree-entries.ts';
import { nameInputs } from './cache-inputs.ts';

type Files = Readonly<Record<string, string>>;

const BEFORE: Files = { 'src/a.js': 'a1', 'src/b/c.js': 'c1', 'README.md': 'r1' };
const GLOBS = ['src/**'];

function nameOf(files: Files, globs = GLOBS, inside = '', mode: FileMode = '100644'): string {
  const tree = Object.entries(files).map(([path, id]) => [path, { mode, id, bytes: 1 }] as const);
  return nameInputs(new Map(tree), globs, inside);
}

describe('the files that decide a cached result', () => {
  const cases: [why: string, other: string, isSame: boolean][] = [
    ['a file that is not named does not count', nameOf({ ...BEFORE, 'README.md': 'r2' }), true],
    ['a file that is named counts', nameOf({ ...BEFORE, 'src/b/c.js': 'c2' }), false],
    ['a new one counts', nameOf({ ...BEFORE, 'src/d.js': 'd1' }), false],
    ['one that is gone counts', nameOf({ 'src/a.js': 'a1', 'README.md': 'r1' }), false],
    ['another name counts', nameOf({ 'src/z.js': 'a1', 'src/b/c.js': 'c1' }), false],
    ['the order does not count', nameOf({ 'src/b/c.js': 'c1', 'src/a.js': 'a1' }), true],
    ['whether it can be executed counts', nameOf(BEFORE, GLOBS, '', '100755'), false],
    ['a longer list counts', nameOf(BEFORE, ['src/**', 'lib/**']), false],
  ];
  for (const [why, other, isSame] of cases)
    test(why, () => assert.equal(other === nameOf(BEFORE), isSame));

  test('are looked for in the folder of the user', () => {
    const files = { 'app/src/a.js': 'a1', 'src/a.js': 'a1' };
    const before = nameOf(files, GLOBS, 'app');
    assert.equal(nameOf({ ...files, 'src/a.js': 'a2' }, GLOBS, 'app'), before);
    assert.notEqual(nameOf({ ...files, 'app/src/a.js': 'a2' }, GLOBS, 'app'), before);
  });
});
