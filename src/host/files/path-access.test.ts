import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { canTraverse, canWrite, canWriteTo } from './path-access.ts';

const stranger = { uid: 0x7000_0001, gid: 0x7000_0001 };

test('what lies in a closed folder is out of reach for others, and in an open one it is not', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'inner');
  await mkdir(path);
  assert.equal(canTraverse(path, stranger), false);
  await chmod(dir.path, 0o711);
  assert.equal(canTraverse(path, stranger), true);
});

test('a folder is written to by its owner, or by all if its mode says so', async () => {
  await using dir = await tempDir();
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  assert.deepEqual([canWriteTo(dir.path, own), canWriteTo(dir.path, stranger)], [true, false]);
  await chmod(dir.path, 0o777);
  assert.equal(canWriteTo(dir.path, stranger), true);
  assert.equal(canWriteTo(join(dir.path, 'absent'), stranger), false);
});

test('whether we may write to a folder is what the kernel says', async () => {
  await using dir = await tempDir();
  assert.equal(canWrite(dir.path), true);
  assert.equal(canWrite(join(dir.path, 'absent')), false);
  await chmod(dir.path, 0o500);
  assert.equal(canWrite(dir.path), process.getuid?.() === 0);
  await chmod(dir.path, 0o700);
});
