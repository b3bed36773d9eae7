import assert from 'node:assert/strict';
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { errnoCode } from './errno.ts';
import { makeFolders, makeFoldersSync } from './make-folders.ts';

describe('making folders', () => {
  test('creates every missing parent, and returns the first folder that it created', async () => {
    await using dir = await tempDir();
    const deep = join(dir.path, 'a/b/c');
    assert.equal(await makeFolders(deep, 0o700), join(dir.path, 'a'));
    assert.equal((await stat(deep)).mode & 0o777, 0o700);
    assert.equal(await makeFolders(deep), undefined);
    makeFoldersSync(join(dir.path, 'd/e'));
    assert.ok((await stat(join(dir.path, 'd/e'))).isDirectory());
  });

  test('accepts a link to a folder, and creates folders behind it', async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, 'real'));
    await symlink('real', join(dir.path, 'link'));
    assert.equal(await makeFolders(join(dir.path, 'link')), undefined);
    await makeFolders(join(dir.path, 'link/inside'));
    assert.ok((await stat(join(dir.path, 'real/inside'))).isDirectory());
  });

  test('can be done twice at the same moment', async () => {
    await using dir = await tempDir();
    const deep = join(dir.path, 'a/b/c/d');
    await Promise.all(Array.from({ length: 20 }, () => makeFolders(deep)));
    assert.ok((await stat(deep)).isDirectory());
  });

  const obstacles: [what: string, path: (dir: string) => string, code: string][] = [
    ['a file in its place', (dir) => join(dir, 'file'), 'EEXIST'],
    ['a file above it', (dir) => join(dir, 'file/x/y'), 'ENOTDIR'],
    ['a link to nothing in its place', (dir) => join(dir, 'dangling'), 'EEXIST'],
    ['links in a circle above it', (dir) => join(dir, 'circle/x'), 'ELOOP'],
    ['a name that is too long', (dir) => join(dir, 'x'.repeat(300), 'y'), 'ENAMETOOLONG'],
  ];
  if (process.platform === 'linux')
    obstacles.push(['a folder of the kernel above it', () => '/proc/x/y', 'ENOENT']);
  for (const [what, path, code] of obstacles)
    test(`ends with the error of the machine at ${what}`, async () => {
      await using dir = await tempDir();
      await writeFile(join(dir.path, 'file'), '');
      await symlink('nowhere', join(dir.path, 'dangling'));
      await symlink('circle', join(dir.path, 'circle'));
      const hasCode = (error: unknown): boolean => errnoCode(error) === code;
      await assert.rejects(makeFolders(path(dir.path)), hasCode);
      assert.throws(() => makeFoldersSync(path(dir.path)), hasCode);
    });
});
