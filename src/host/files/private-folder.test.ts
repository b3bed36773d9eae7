import assert from 'node:assert/strict';
import { chmod, chown, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { checkOwnFolder, ensureOwnFolder } from './private-folder.ts';

const refused = (error: unknown): boolean => isRefusal(error, 'home.not-private');

describe('M6: our folder in a place where other users can write', () => {
  test('is created for us alone, and is accepted the next time', async () => {
    await using dir = await tempDir();
    const path = join(dir.path, 'ours');
    await checkOwnFolder(path);
    await ensureOwnFolder(path);
    await ensureOwnFolder(path);
    await checkOwnFolder(path);
    assert.equal((await lstat(path)).mode & 0o777, 0o700);
  });

  const squatted: [what: string, plant: (path: string) => Promise<unknown>][] = [
    [
      'a link',
      async (path) => {
        await mkdir(`${path}-elsewhere`, { mode: 0o700 });
        await symlink(`${path}-elsewhere`, path);
      },
    ],
    ['a link without a target', (path) => symlink('/nowhere', path)],
    ['a file', (path) => writeFile(path, '')],
    [
      'a folder that others may enter',
      async (path) => {
        await mkdir(path);
        await chmod(path, 0o777);
      },
    ],
  ];
  for (const [what, plant] of squatted)
    test(`is refused when it is ${what}, and nothing is changed`, async () => {
      await using dir = await tempDir();
      const path = join(dir.path, 'ours');
      await plant(path);
      const before = (await lstat(path)).mode;
      await assert.rejects(ensureOwnFolder(path), refused);
      await assert.rejects(checkOwnFolder(path), refused);
      assert.equal((await lstat(path)).mode, before);
    });

  test(
    'is refused when it belongs to another user',
    { skip: process.getuid?.() !== 0 && 'only root can give a folder away' },
    async () => {
      await using dir = await tempDir();
      const path = join(dir.path, 'ours');
      await mkdir(path, { mode: 0o700 });
      await chown(path, 65_534, 65_534);
      await assert.rejects(ensureOwnFolder(path), /belongs to user 65534/);
      await assert.rejects(checkOwnFolder(path), refused);
    },
  );
});
