import assert from 'node:assert/strict';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { sweepScratch } from './scratch-folder.ts';

/** L4. */
test('a sweep removes only folders of its own user, also for root', async () => {
  await using dir = await tempDir();
  // The names belong to a process that no longer exists.
  const name = (id: string): string => `sweep-test-999999999-5-${id}`;
  const uid = process.geteuid?.() ?? 0;
  await mkdir(join(dir.path, name('mine')));
  await writeFile(join(dir.path, name('file')), '');
  await mkdir(join(dir.path, 'target'));
  await symlink('target', join(dir.path, name('link')));
  assert.equal(await sweepScratch('sweep-test-', dir.path, uid + 1), 0);
  assert.equal((await readdir(dir.path)).length, 4);
  assert.equal(await sweepScratch('sweep-test-', dir.path, uid), 1);
  assert.deepEqual(
    (await readdir(dir.path)).toSorted(),
    [name('file'), name('link'), 'target'].toSorted(),
  );
});
