import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync, truncateSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { copyTree, sumTree } from './copy-tree.ts';

const BOUNDS = { entriesMax: 1000, bytesMax: 10_000_000 };

async function plant(root: string): Promise<void> {
  await mkdir(join(root, 'pkg/bin'), { recursive: true });
  await writeFile(join(root, 'pkg/index.js'), 'one\n');
  await writeFile(join(root, 'pkg/bin/tool'), '#!/bin/sh\n');
  await chmod(join(root, 'pkg/bin/tool'), 0o4755);
  await writeFile(join(root, 'large'), Buffer.alloc(2_500_000, 'x'));
  await symlink('../pkg/bin/tool', join(root, 'pkg/link'));
  await symlink('/nowhere/at/all', join(root, 'broken'));
}

test('a copy has the same content and shares no file', async () => {
  await using dir = await tempDir();
  const [from, to] = [join(dir.path, 'from'), join(dir.path, 'to')];
  await plant(from);
  await link(join(from, 'pkg/index.js'), join(from, 'twin'));
  const sum = await copyTree(from, to, BOUNDS);
  assert.deepEqual(sum, await sumTree(to, BOUNDS));
  assert.deepEqual(sum, await sumTree(from, BOUNDS));
  assert.equal(await readlink(join(to, 'broken')), '/nowhere/at/all');
  assert.equal((await lstat(join(to, 'pkg/bin/tool'))).mode & 0o7777, 0o755);
  assert.equal((await lstat(join(to, 'twin'))).nlink, 1);
  assert.equal(
    Math.floor((await lstat(join(to, 'pkg/index.js'))).mtimeMs),
    Math.floor((await lstat(join(from, 'pkg/index.js'))).mtimeMs),
  );
  await writeFile(join(to, 'pkg/index.js'), 'two\n');
  assert.equal(await readFile(join(from, 'pkg/index.js'), 'utf8'), 'one\n');
});

test('any change in a tree changes its sum', async () => {
  await using dir = await tempDir();
  const root = join(dir.path, 'tree');
  await plant(root);
  const sums = new Set([(await sumTree(root, BOUNDS))?.digest]);
  const changes: (() => Promise<void>)[] = [
    () => writeFile(join(root, 'pkg/index.js'), 'two\n'),
    () => chmod(join(root, 'pkg/index.js'), 0o755),
    () => writeFile(join(root, 'pkg/more'), ''),
    () => symlink('x', join(root, 'pkg/another')),
    () => mkdir(join(root, 'empty')),
    () => writeFile(join(root, 'large'), Buffer.alloc(2_500_000, 'y')),
  ];
  for (const change of changes) {
    await change();
    sums.add((await sumTree(root, BOUNDS))?.digest);
  }
  assert.equal(sums.size, changes.length + 1);
});

test('a pipe is left out, and a tree beyond its bounds is not copied whole', async () => {
  await using dir = await tempDir();
  const root = join(dir.path, 'tree');
  await plant(root);
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await copyTree(root, join(dir.path, 'to'), BOUNDS);
  await assert.rejects(lstat(join(dir.path, 'to', 'pipe')));
  assert.equal(await sumTree(root, { ...BOUNDS, bytesMax: 2_000_000 }), undefined);
  assert.equal(await sumTree(root, { ...BOUNDS, entriesMax: 5 }), undefined);
});

describe('a large file of holes', () => {
  const MEGABYTE = 1_000_000;
  const plantHoles = async (root: string, bytes: number): Promise<void> => {
    await mkdir(root);
    await writeFile(join(root, 'holes'), 'begin');
    truncateSync(join(root, 'holes'), bytes);
  };

  test('is not read at all if it is beyond the bound, and nothing of it is written', async () => {
    await using dir = await tempDir();
    const [from, to] = [join(dir.path, 'from'), join(dir.path, 'to')];
    await plantHoles(from, 300 * MEGABYTE);
    assert.equal(await copyTree(from, to, BOUNDS), undefined);
    assert.deepEqual(await readdir(to), []);
    assert.equal(await sumTree(from, BOUNDS), undefined);
  });

  test('keeps its holes in a copy', async () => {
    await using dir = await tempDir();
    const [from, to] = [join(dir.path, 'from'), join(dir.path, 'to')];
    await plantHoles(from, 9.5 * MEGABYTE);
    assert.deepEqual(await copyTree(from, to, BOUNDS), await sumTree(from, BOUNDS));
    assert.deepEqual(await sumTree(to, BOUNDS), await sumTree(from, BOUNDS));
    const { size, blocks } = statSync(join(to, 'holes'));
    assert.equal(size, 9.5 * MEGABYTE);
    assert.ok(blocks * 512 < 4 * MEGABYTE, `${blocks} blocks`);
  });
});
