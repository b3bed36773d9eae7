import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { findObstacle, writeBeneath } from './write-beneath.ts';

type Tree = AsyncDisposable & { readonly root: string; readonly outside: string };

/** A root, and beside it a folder with a file that no write may change. */
async function newTree(): Promise<Tree> {
  const dir = await tempDir();
  const [root, outside] = [join(dir.path, 'root'), join(dir.path, 'outside')];
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'a'), 'before');
  return { root, outside, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe('a write into a tree', () => {
  test('creates a file with its folders, keeps one, and replaces one only on request', async () => {
    await using tree = await newTree();
    const write = (text: string, replaces: boolean): Promise<string> =>
      writeBeneath(tree.root, { path: 'b/c/a', text, replaces });
    const done = [await write('1', false), await write('2', false), await write('3', true)];
    assert.deepEqual(done, ['created', 'kept', 'replaced']);
    assert.equal(await readFile(join(tree.root, 'b/c/a'), 'utf8'), '3');
    assert.equal(await findObstacle(tree.root, 'b/c/a'), undefined);
    assert.equal(await findObstacle(tree.root, 'b/x/y'), undefined);
  });

  const links: [where: string, link: string, target: string][] = [
    ['the first folder', 'b', '../outside'],
    ['a folder further down', 'b/c', '../../outside'],
    ['the file', 'b/c/a', '../../../outside/a'],
    ['the file, to a path that is free', 'b/c/a', '../../../outside/new'],
  ];
  for (const [where, link, target] of links)
    test(`leaves the tree through no link: ${where}`, async () => {
      await using tree = await newTree();
      const above = link.split('/').slice(0, -1).join('/');
      await mkdir(join(tree.root, above), { recursive: true });
      await symlink(target, join(tree.root, link));
      assert.equal(await findObstacle(tree.root, 'b/c/a'), link);
      for (const replaces of [false, true])
        assert.equal(
          await writeBeneath(tree.root, { path: 'b/c/a', text: 'after', replaces }),
          'blocked',
        );
      assert.ok((await lstat(join(tree.root, link))).isSymbolicLink());
      assert.deepEqual(await readdir(tree.outside), ['a']);
      assert.equal(await readFile(join(tree.outside, 'a'), 'utf8'), 'before');
    });

  test('is blocked by a folder in the place of the file, and by a file in the place of a folder', async () => {
    await using tree = await newTree();
    await mkdir(join(tree.root, 'folder'));
    await writeFile(join(tree.root, 'file'), '');
    for (const [path, obstacle] of [
      ['folder', 'folder'],
      ['file/a', 'file'],
    ] as const) {
      assert.equal(await findObstacle(tree.root, path), obstacle);
      assert.equal(await writeBeneath(tree.root, { path, text: '', replaces: true }), 'blocked');
    }
  });
});
