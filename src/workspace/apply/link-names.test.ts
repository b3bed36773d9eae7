import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linkNames } from './link-names.ts';

describe('H6: a file also has the names of the links that point to it', () => {
  const cases: [why: string, links: [string, string][], path: string, names: string[]][] = [
    ['no link', [], 'a/b', ['a/b']],
    ['a link to its folder', [['.vscode', 'ed']], 'ed/tasks.json', ['.vscode/tasks.json']],
    ['a link to the file', [['.envrc', 'lib/env']], 'lib/env', ['.envrc']],
    ['a link beside it', [['.vscode', 'edit']], 'ed/tasks.json', []],
    [
      'links to links',
      [
        ['x', 'ed'],
        ['y', 'x'],
        ['z', 'y'],
        ['web/.vscode', 'z'],
      ],
      'ed/a',
      ['x/a', 'y/a', 'z/a', 'web/.vscode/a'],
    ],
    ['a circle', [['self', '.']], 'f', ['self/f']],
    ['a link with a last slash', [['.idea', 'ed/']], 'ed/a', ['.idea/a']],
  ];
  for (const [why, links, path, others] of cases)
    test(why, () => {
      const namesOf = linkNames(links.map(([at, to]) => ({ at, to })));
      assert.deepEqual(namesOf(path), { names: [...new Set([path, ...others])], isCut: false });
    });

  test('a cut list of names is reported, also if links point to the root', () => {
    const many = (to: string) => Array.from({ length: 900 }, (_, n) => ({ at: `l${n}`, to }));
    for (const to of ['d', '.']) {
      const { names, isCut } = linkNames(many(to))('d/f');
      assert.deepEqual([names.length, names[0], isCut], [100, 'd/f', true]);
    }
  });
});
