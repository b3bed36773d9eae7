import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../../base/errors.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { writeOwnedFile } from './chown-tree.ts';

describe('a file in a folder that an agent may have rearranged', () => {
  test('is written with the folders above it, and again', async () => {
    await using dir = await tempDir();
    await writeOwnedFile(dir.path, 'a/b/c.txt', 'one');
    await writeOwnedFile(dir.path, 'a/b/c.txt', 'two');
    assert.equal(await readFile(join(dir.path, 'a/b/c.txt'), 'utf8'), 'two');
  });

  test('replaces a link, and leaves its target unchanged', async () => {
    await using dir = await tempDir();
    await writeFile(join(dir.path, 'precious'), 'mine');
    await mkdir(join(dir.path, 'home'));
    await symlink('../precious', join(dir.path, 'home/settings'));
    await writeOwnedFile(join(dir.path, 'home'), 'settings', 'ours');
    assert.equal(await readFile(join(dir.path, 'precious'), 'utf8'), 'mine');
    assert.equal(await readFile(join(dir.path, 'home/settings'), 'utf8'), 'ours');
  });

  test('is refused below a folder that is a link', async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, 'elsewhere'));
    await mkdir(join(dir.path, 'home'));
    await symlink('../elsewhere', join(dir.path, 'home/.codex'));
    await assert.rejects(
      writeOwnedFile(join(dir.path, 'home'), '.codex/config.toml', ''),
      (error) => isRefusal(error, 'workspace.unsafe-change'),
    );
    assert.deepEqual(await readdir(join(dir.path, 'elsewhere')), []);
  });
});
