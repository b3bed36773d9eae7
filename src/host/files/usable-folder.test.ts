import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { diskSpace } from './disk-space.ts';
import { inspectFolder } from './usable-folder.ts';

test('a folder is inspected, or else its nearest existing parent', async () => {
  await using dir = await tempDir();
  const own = join(dir.path, 'own');
  await mkdir(own);
  await chmod(own, 0o700);
  const shared = join(dir.path, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o750);
  const file = join(dir.path, 'file');
  await writeFile(file, '', { mode: 0o600 });

  const writable = { isWritable: true, isShared: false };
  assert.deepEqual(await inspectFolder(own), { kind: 'there', nearest: own, ...writable });
  assert.deepEqual(await inspectFolder(shared), {
    kind: 'there',
    nearest: shared,
    isWritable: true,
    isShared: true,
  });
  assert.deepEqual(await inspectFolder(join(own, 'a', 'b')), {
    kind: 'absent',
    nearest: own,
    ...writable,
  });
  const under = await inspectFolder(join(file, 'a'));
  assert.deepEqual([under.kind, under.nearest], ['not-a-folder', file]);
});

test(
  'a folder that we cannot enter is not writable',
  { skip: process.getuid?.() === 0 && 'nothing is closed to root' },
  async () => {
    await using dir = await tempDir();
    await chmod(dir.path, 0o500);
    assert.equal((await inspectFolder(dir.path)).isWritable, false);
  },
);

test('a disk reports its free space, and a missing path reports nothing', async () => {
  await using dir = await tempDir();
  const space = await diskSpace(dir.path);
  assert.ok(space !== undefined && space.freeBytes > 0);
  assert.equal(space.isRemote, false);
  assert.equal(await diskSpace(join(dir.path, 'none')), undefined);
});
