import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findProject } from './find-project.ts';

type Case = readonly [
  why: string,
  /** A name that ends in `/` is a folder. */
  entries: readonly string[],
  start: string,
  expected: string,
];

const CASES: readonly Case[] = [
  ['a folder without either', ['shop/src/'], 'shop/src', 'shop/src'],
  ['a subfolder of a repository', ['shop/.git/', 'shop/src/'], 'shop/src', 'shop'],
  ['its root', ['shop/.git/'], 'shop', 'shop'],
  ['settings without a repository', ['shop/.supervisor/', 'shop/a/b/'], 'shop/a/b', 'shop'],
  [
    'settings of a part of the repository',
    ['shop/.git/', 'shop/.supervisor/', 'shop/api/.supervisor/', 'shop/api/src/'],
    'shop/api/src',
    'shop/api',
  ],
  [
    'settings above the repository',
    ['all/.supervisor/', 'all/shop/.git/', 'all/shop/src/'],
    'all/shop/src',
    'all',
  ],
  ['a submodule', ['shop/.git/', 'shop/lib/.git', 'shop/lib/src/'], 'shop/lib/src', 'shop/lib'],
  [
    'a submodule of a project with settings',
    ['shop/.git/', 'shop/.supervisor/', 'shop/lib/.git', 'shop/lib/src/'],
    'shop/lib/src',
    'shop',
  ],
  ["git's own folder", ['shop/.git/hooks/'], 'shop/.git/hooks', 'shop/.git/hooks'],
  ['a file in place of the settings', ['shop/.supervisor', 'shop/src/'], 'shop/src', 'shop/src'],
  ['settings in the home', ['me/.supervisor/', 'me/notes/'], 'me/notes', 'me/notes'],
  ['a repository in the home', ['me/.git/', 'me/notes/'], 'me/notes', 'me/notes'],
  ['settings above the home', ['.supervisor/', 'me/notes/'], 'me/notes', 'me/notes'],
  [
    'a project in the home',
    ['me/.git/', 'me/shop/.git/', 'me/shop/src/'],
    'me/shop/src',
    'me/shop',
  ],
];

describe('the project of a folder', () => {
  for (const [why, entries, start, expected] of CASES)
    it(`is found: ${why}`, async () => {
      await using dir = await tempDir();
      const root = await realpath(dir.path);
      await mkdir(join(root, 'me'), { recursive: true });
      for (const entry of entries) {
        const path = join(root, entry);
        await mkdir(entry.endsWith('/') ? path : join(path, '..'), { recursive: true });
        if (!entry.endsWith('/')) await writeFile(path, '');
      }
      assert.equal(findProject(join(root, start), [join(root, 'me')]), join(root, expected));
    });

  it('is found although the home is known by a symbolic link', async () => {
    await using dir = await tempDir();
    const root = await realpath(dir.path);
    await mkdir(join(root, 'me/.supervisor'), { recursive: true });
    await mkdir(join(root, 'me/notes'));
    await symlink(join(root, 'me'), join(root, 'home'));
    const notes = join(root, 'me/notes');
    assert.equal(findProject(notes, [join(root, 'home')]), notes);
  });

  it('does not follow a link in place of the settings', async () => {
    await using dir = await tempDir();
    const root = await realpath(dir.path);
    await mkdir(join(root, 'shop/src'), { recursive: true });
    await mkdir(join(root, 'other'));
    await symlink(join(root, 'other'), join(root, 'shop/.supervisor'));
    const src = join(root, 'shop/src');
    assert.equal(findProject(src, []), src);
  });
});
