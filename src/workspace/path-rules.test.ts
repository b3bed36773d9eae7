import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  changesOutside,
  findCollisions,
  isGitName,
  newCollisions,
  objectionToLink,
  objectionToPath,
} from './path-rules.ts';
import type { FileTree } from './tree-entries.ts';

describe('names that some file system treats as .git', () => {
  const cases: [name: string, expected: boolean][] = [
    ['.git', true],
    ['.GIT', true],
    ['.Git', true],
    ['git~1', true],
    ['GIT~10', true],
    ['.git.', true],
    ['.git ', true],
    ['.git. .', true],
    ['.git:stream', true],
    ['.git::$INDEX_ALLOCATION', true],
    ['.g\u200cit', true],
    ['\u200e.git\u206f', true],
    ['．git', true],
    ['.gitignore', false],
    ['.github', false],
    ['git', false],
    ['x.git', false],
    ['git~', false],
    ['git~x', false],
  ];
  for (const [name, expected] of cases)
    test(JSON.stringify(name), () => assert.equal(isGitName(name), expected));
});

describe('paths that may not leave a workspace', () => {
  const cases: [path: string, expected: string | undefined][] = [
    ['a/b.txt', undefined],
    ['a b/ü\n"', undefined],
    ['..a/b..', undefined],
    ['', 'is empty'],
    ['/etc/passwd', 'is absolute'],
    ['C:/x', 'is absolute'],
    ['../x', 'leaves the tree'],
    ['a/../../x', 'leaves the tree'],
    ['a//b', 'leaves the tree'],
    ['a/./b', 'leaves the tree'],
    ['a/.git/config', 'is a name that git reserves'],
    ['.GIT', 'is a name that git reserves'],
    ['a\\..\\b', 'leaves the tree on Windows'],
    ['a\\.git\\b', 'leaves the tree on Windows'],
    ['a\0b', 'contains a NUL'],
    ['x'.repeat(256), 'is too long'],
    ['x/'.repeat(2100), 'is too long'],
  ];
  for (const [path, expected] of cases)
    test(JSON.stringify(path.slice(0, 30)), () => assert.equal(objectionToPath(path), expected));
});

describe('the allowed targets of a symlink', () => {
  const cases: [path: string, target: string, expected: string | undefined][] = [
    ['l', 'a', undefined],
    ['a/b/l', '../../c', undefined],
    ['a/l', './b/../c', undefined],
    ['l', '..', 'points out of the tree'],
    ['a/l', '../../b', 'points out of the tree'],
    ['a/l', 'b/../../../c', 'points out of the tree'],
    ['l', '/etc', 'points out of the tree'],
    ['l', '\\\\host\\share', 'points out of the tree'],
    ['l', 'c:\\x', 'points out of the tree'],
    ['l', '.git/hooks', 'points into git'],
    ['a/l', '../.GIT', 'points into git'],
    ['l', '', 'has no target'],
  ];
  for (const [path, target, expected] of cases)
    test(`${path} → ${target}`, () => assert.equal(objectionToLink(path, target), expected));
});

const treeWith = (...paths: readonly string[]): FileTree =>
  new Map(paths.map((path) => [path, { mode: '100644', id: '0', bytes: 0 }]));

describe('names that collide', () => {
  test('in case, in accents, and in a folder', () => {
    const accents = ['caf\u00e9', 'cafe\u0301'];
    assert.deepEqual(findCollisions(['a', 'A', 'b', ...accents]), [['A', 'a'], accents.toSorted()]);
    assert.deepEqual(findCollisions(['Dir/x', 'dir/y']), [['Dir/x', 'dir/y']]);
    assert.deepEqual(findCollisions(['dir/x', 'dir/y', 'dirx']), []);
  });

  test('only new collisions count against a change', () => {
    assert.deepEqual(newCollisions(treeWith('a', 'A'), treeWith('a', 'A', 'b')), []);
    assert.deepEqual(newCollisions(treeWith('a'), treeWith('a', 'A')), ['A', 'a']);
  });
});

describe('changes outside the allowed paths', () => {
  const cases: [allowed: readonly string[] | undefined, outside: readonly string[]][] = [
    [undefined, []],
    [[], ['.hidden', 'README.md', 'src/.x/y', 'src/a.ts', 'srcx']],
    [['src'], ['.hidden', 'README.md', 'srcx']],
    [['./src/'], ['.hidden', 'README.md', 'srcx']],
    [['*.md'], ['.hidden', 'src/.x/y', 'src/a.ts', 'srcx']],
    [
      ['**/*.ts', '.hidden'],
      ['README.md', 'src/.x/y', 'srcx'],
    ],
    [['src/**'], ['.hidden', 'README.md', 'srcx']],
    [['s?c/a.ts'], ['.hidden', 'README.md', 'src/.x/y', 'srcx']],
    [['(x+)*$'], ['.hidden', 'README.md', 'src/.x/y', 'src/a.ts', 'srcx']],
  ];
  const paths = ['.hidden', 'README.md', 'src/.x/y', 'src/a.ts', 'srcx'];
  const changes = paths.map((path) => ({ path, kind: 'added' as const }));
  for (const [allowed, outside] of cases) {
    test(allowed === undefined ? 'everything' : allowed.join(' or '), () =>
      assert.deepEqual(
        changesOutside(changes, allowed).map(({ path }) => path),
        outside,
      ),
    );
  }
});
