import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { gitOutput } from '../../git/git-output.ts';
import { listFolder } from '../list-folder.ts';
import { listTree } from './list-tree.ts';
import { TreeReader } from './tree-reader.ts';

test('case 1: a tree is read and listed, and no link is followed out of it', async () => {
  await using dir = await tempDir();
  const root = join(dir.path, 'tree');
  await mkdir(join(root, 'sub/node_modules'), { recursive: true });
  await writeFile(join(dir.path, 'secret'), 'secret');
  await writeFile(join(root, 'a.txt'), 'ä');
  await writeFile(join(root, 'sub/b.txt'), 'b'.repeat(100));
  await writeFile(join(root, 'sub/node_modules/c.js'), '');
  await symlink(join(dir.path, 'secret'), join(root, 'link'));
  await symlink(dir.path, join(root, 'up'));
  await symlink('sub', join(root, 'down'));

  const reader = new TreeReader(root);
  const kinds = async (...paths: string[]): Promise<unknown> =>
    Promise.all(paths.map(async (path) => reader.read(path, 50)));
  assert.deepEqual(
    await kinds(
      'a.txt',
      '/a.txt',
      'sub/b.txt',
      'link',
      'up/secret',
      'up/tree/a.txt',
      '../secret',
      'sub/../../secret',
      'x/y',
      'sub',
      'down/b.txt',
    ),
    [
      { kind: 'text', text: 'ä' },
      { kind: 'text', text: 'ä' },
      { kind: 'huge' },
      { kind: 'outside' },
      { kind: 'outside' },
      { kind: 'text', text: 'ä' },
      { kind: 'outside' },
      { kind: 'outside' },
      { kind: 'absent' },
      { kind: 'unreadable' },
      { kind: 'huge' },
    ],
  );
  assert.deepEqual(await listTree(root, 100), ['a.txt', 'sub/b.txt']);
  assert.deepEqual(await listTree(root, 1), ['a.txt']);
  assert.deepEqual(await listFolder(join(root, 'sub')), ['b.txt']);
  assert.deepEqual(await listFolder(join(root, 'nothing')), []);
});

test('a fingerprint changes with its file, and is not given for one that may still change', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'a');
  await writeFile(file, 'one');
  const reader = new TreeReader(dir.path);
  assert.equal(await reader.fingerprint('a'), undefined);
  assert.equal(await reader.fingerprint('b'), undefined);
  const later = new TreeReader(dir.path, () => Date.now() + 60_000);
  const first = await later.fingerprint('a');
  assert.equal(await later.fingerprint('a'), first);
  await writeFile(file, 'two');
  assert.notEqual(await later.fingerprint('a'), first);
});

test('git answers, or the failure is reported', async () => {
  await using dir = await tempDir();
  const failed = await gitOutput(dir.path, ['status']);
  assert.equal(failed.kind, 'failed');
  execFileSync('git', ['init', '-q', dir.path]);
  await writeFile(join(dir.path, 'a b'), '');
  const listed = await gitOutput(dir.path, ['ls-files', '-zo']);
  assert.deepEqual(listed, { kind: 'output', bytes: Buffer.from('a b\0') });
});
