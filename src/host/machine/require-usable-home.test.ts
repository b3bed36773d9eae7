import assert from 'node:assert/strict';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { homeError, requireUsableHome } from './require-usable-home.ts';

function refused(dir: string, why: RegExp): void {
  assert.throws(
    () => requireUsableHome(dir),
    (error) => isRefusal(error, 'home.unusable') && why.test(error.message),
  );
}

describe('the home of an owner', () => {
  test('may be missing, empty, private, or one that was used before', async () => {
    await using dir = await tempDir();
    const at = (name: string): string => join(dir.path, name);
    for (const name of ['empty', 'used', 'private', 'volume', 'volume/lost+found'])
      await mkdir(at(name), { mode: 0o755 });
    await writeFile(at('used/config.yaml'), '');
    await writeFile(at('private/notes.txt'), '');
    await chmod(at('private'), 0o700);
    for (const name of ['missing', 'missing/deep', 'empty', 'used', 'private', 'volume'])
      requireUsableHome(at(name));
  });

  test('is never a folder that others need', async () => {
    for (const dir of ['/', '/etc', '/proc', '/dev', '/home', '/var'])
      refused(dir, /it belongs to the machine/);
    if (homedir() !== '/') refused(homedir(), /your whole home folder|belongs to the machine/);
    if (dirname(homedir()) !== '/') refused(dirname(homedir()), /contains your home|the machine/);
  });

  test('is not a shared folder, and the folder stays as it was', async () => {
    await using dir = await tempDir();
    const at = (name: string): string => join(dir.path, name);
    await mkdir(at('project'));
    await writeFile(at('project/main.ts'), '');
    await mkdir(at('tmp'));
    for (const [name, mode] of [
      ['project', 0o755],
      ['tmp', 0o1777],
    ] as const) {
      await chmod(at(name), mode);
      refused(at(name), /other users may read them|all users of this machine share it/);
      assert.equal((await stat(at(name))).mode & 0o7777, mode);
    }
  });

  test('is not a file or a link to nothing', async () => {
    await using dir = await tempDir();
    await writeFile(join(dir.path, 'file'), '');
    await symlink('nowhere', join(dir.path, 'link'));
    refused(join(dir.path, 'file'), /it is a file, not a folder/);
    refused(join(dir.path, 'link'), /a symbolic link to a folder that does not exist/);
  });

  test('gets a cause in words for each error of the machine, and a long path is cut', () => {
    const error = Object.assign(new Error('raw'), { code: 'EROFS' });
    const refusal = homeError(`/x/${'y'.repeat(3000)}`, error);
    assert.match(refusal?.message ?? '', /… can't be used: the file system is read-only \(EROFS\)/);
    assert.ok((refusal?.message.length ?? 0) < 300);
    assert.equal(homeError('/x', new Error('a bug')), undefined);
  });

  test('names the folder that is in the place of one of its files', () => {
    const paths = { path: '/x/.1.tmp', dest: '/x/owner.json' };
    const error = Object.assign(new Error('raw'), { code: 'EISDIR', ...paths });
    assert.deepEqual(homeError('/x', error)?.data, {
      code: 'home.unusable',
      message: "The home /x can't be used: owner.json in it is a folder, not a file (EISDIR).",
      hint: 'Move /x/owner.json away, or set SUPERVISOR_HOME to a new or empty folder.',
    });
  });
});
