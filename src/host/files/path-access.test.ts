import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { canTraverse, canWrite, canWriteTo } from './path-access.ts';

const otherUser = { uid: 0x7000_0001, gid: 0x7000_0001 };

test('other users cannot reach files in a closed folder, and can in an open one', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'inner');
  await mkdir(path);
  assert.equal(canTraverse(path, otherUser), false);
  await chmod(dir.path, 0o711);
  assert.equal(canTraverse(path, otherUser), true);
});

test('a folder is writable for its owner, or for all if its mode allows it', async () => {
  await using dir = await tempDir();
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  assert.deepEqual([canWriteTo(dir.path, own), canWriteTo(dir.path, otherUser)], [true, false]);
  await chmod(dir.path, 0o777);
  assert.equal(canWriteTo(dir.path, otherUser), true);
  assert.equal(canWriteTo(join(dir.path, 'absent'), otherUser), false);
});

test('the kernel decides whether we may write to a folder', async () => {
  await using dir = await tempDir();
  assert.equal(canWrite(dir.path), true);
  assert.equal(canWrite(join(dir.path, 'absent')), false);
  await chmod(dir.path, 0o500);
  assert.equal(canWrite(dir.path), process.getuid?.() === 0);
  await chmod(dir.path, 0o700);
});
