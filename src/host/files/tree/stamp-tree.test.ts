import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { changedSince, stampTree } from './stamp-tree.ts';

type Case = readonly [why: string, change: (root: string) => Promise<unknown>, string];

const CASES: readonly Case[] = [
  ['nothing', async () => undefined, ''],
  ['a new file', (root) => writeFile(join(root, 'new'), ''), 'new'],
  ['a file with other content', (root) => writeFile(join(root, 'sub/a'), '2'), 'sub/a'],
  ['a deleted file', (root) => rm(join(root, 'b')), 'b'],
  ['a file that is now elsewhere', (root) => rename(join(root, 'b'), join(root, 'c')), 'b c'],
  ['a file with another mode', (root) => chmod(join(root, 'b'), 0o700), 'b'],
  ['a new link', (root) => symlink('b', join(root, 'link')), 'link'],
  ['a file in a folder that is left out', (root) => writeFile(join(root, '.git/x'), ''), ''],
  ['an empty folder, which no tree has', (root) => mkdir(join(root, 'empty')), ''],
  [
    'a file whose time was set back',
    async (root) => {
      await writeFile(join(root, 'b'), '2');
      await utimes(join(root, 'b'), 1000, 1000);
    },
    'b',
  ],
];

describe('stamps of a tree show', () => {
  for (const [why, change, expected] of CASES)
    test(why, async () => {
      await using dir = await tempDir();
      await mkdir(join(dir.path, 'sub'));
      await mkdir(join(dir.path, '.git'));
      await writeFile(join(dir.path, 'sub/a'), '1');
      await writeFile(join(dir.path, 'b'), '1');
      await utimes(join(dir.path, 'b'), 1000, 1000);
      const before = await stampTree(dir.path, ['.git'], 100);
      await change(dir.path);
      const after = await stampTree(dir.path, ['.git'], 100);
      assert.ok(before !== undefined && after !== undefined);
      assert.equal(changedSince(before, after).join(' '), expected);
    });

  test('nothing at all if there are too many files', async () => {
    await using dir = await tempDir();
    for (const name of ['a', 'b', 'c']) await writeFile(join(dir.path, name), '');
    assert.equal(await stampTree(dir.path, [], 2), undefined);
  });
});
