import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { watchFiles } from './file-identity.ts';

/** A watched file in its own folder. */
async function watched() {
  const dir = await tempDir();
  const folder = join(dir.path, 'home');
  const file = join(folder, 'lock');
  await mkdir(folder);
  await writeFile(file, '');
  const files = watchFiles([file]);
  return { folder, file, files, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe('a watched file', () => {
  test('is the same while its content changes', async () => {
    await using at = await watched();
    await writeFile(at.file, 'more');
    assert.deepEqual([at.files.findLost(), at.files.areSame()], [undefined, true]);
  });

  test('is lost when it is deleted, when a file takes the place of its folder, and when it is replaced', async () => {
    for (const change of [
      (file: string) => rm(file),
      async (_file: string, folder: string) => {
        await rename(folder, `${folder}.away`);
        await writeFile(folder, '');
      },
      async (file: string) => {
        await rename(file, `${file}.away`);
        await writeFile(file, '');
      },
    ]) {
      await using at = await watched();
      await change(at.file, at.folder);
      assert.deepEqual([at.files.findLost(), at.files.areSame()], [at.file, false]);
    }
  });

  test('is neither lost nor certainly the same while the system cannot tell, and is checked again', async () => {
    await using at = await watched();
    await rename(at.folder, `${at.folder}.away`);
    await symlink('home', at.folder); // points to itself: ELOOP, also for root
    assert.deepEqual([at.files.findLost(), at.files.areSame()], [undefined, false]);
    await rm(at.folder);
    await rename(`${at.folder}.away`, at.folder);
    assert.deepEqual([at.files.findLost(), at.files.areSame()], [undefined, true]);
  });

  test('is not lost when it was unknown at first', () => {
    let identity: '1:1' | 'gone' | 'unknown' = 'unknown';
    const files = watchFiles(['a'], () => identity);
    for (identity of ['1:1', 'gone', 'unknown'] as const)
      assert.deepEqual([files.findLost(), files.areSame()], [undefined, false]);
  });
});
