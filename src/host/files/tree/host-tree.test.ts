import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  readFile,
  readlink,
  readdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { blobId, writeBlob } from '../../git/git-object.ts';
import { listTreeFolder, readPath } from './read-tree.ts';
import {
  copyMode,
  makeFolder,
  moveEntryAside,
  placeFile,
  removeEmptyFolders,
  removeTree,
  stageFile,
} from './write-tree.ts';

describe('reading an untrusted tree', () => {
  test('case 11: every kind of entry is recognized, and none blocks', async () => {
    await using folder = await tempDir();
    const root = folder.path;
    await mkdir(join(root, 'dir'));
    await writeFile(join(root, 'dir/file'), 'text', { mode: 0o755 });
    await symlink('dir', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x41])]), '');
    assert.deepEqual(
      (await listTreeFolder(root, ''))?.map(({ name, kind, hasTextName }) => [
        name,
        kind,
        hasTextName,
      ]),
      [
        ['dir', 'folder', true],
        ['link', 'symlink', true],
        ['pipe', 'special', true],
        ['\uFFFDA', 'file', false],
      ],
    );
    const kinds = [
      'dir',
      'dir/file',
      'link',
      'pipe',
      'none',
      'none/x',
      'dir/file/x',
      'link/file',
      '../x',
    ];
    const found = await Promise.all(
      kinds.map(async (path) => (await readPath(root, path, 100)).kind),
    );
    assert.deepEqual(found, [
      'folder',
      'file',
      'symlink',
      'special',
      'absent',
      'absent',
      'absent',
      'absent',
      'absent',
    ]);
    assert.deepEqual(await readPath(root, 'dir/file', 100), {
      kind: 'file',
      content: Buffer.from('text'),
      isExecutable: true,
    });
    assert.deepEqual(await readPath(root, 'dir/file', 3), { kind: 'too-large', bytes: 4 });
    assert.deepEqual(
      [await listTreeFolder(root, 'link'), await listTreeFolder(root, 'none')],
      [undefined, undefined],
    );
  });
});

test('a folder that we cannot read hides its own content only', async (t) => {
  if (process.geteuid?.() === 0) return t.skip('nothing is closed to root');
  await using folder = await tempDir();
  await mkdir(join(folder.path, 'closed'));
  await writeFile(join(folder.path, 'closed/x'), '');
  await chmod(join(folder.path, 'closed'), 0o000);
  assert.deepEqual(await readPath(folder.path, 'closed/x', 10), { kind: 'unreadable' });
  assert.equal(await listTreeFolder(folder.path, 'closed'), undefined);
  await chmod(join(folder.path, 'closed'), 0o700);
});

describe('changing a tree that a user may be editing', () => {
  test('a file is placed only at a free path, with its folders', async () => {
    await using folder = await tempDir();
    const [root, staged] = [join(folder.path, 'root'), join(folder.path, 'staged')];
    await mkdir(root);
    const file = { kind: 'file', content: Buffer.from('new'), isExecutable: true } as const;
    await stageFile(staged, file);
    assert.equal(await placeFile(staged, root, 'a/b/c'), true);
    assert.deepEqual(
      [await readFile(join(root, 'a/b/c'), 'utf8'), await readdir(folder.path)],
      ['new', ['root']],
    );
    assert.equal((await stat(join(root, 'a/b/c'))).mode & 0o100, 0o100);
    await stageFile(staged, file);
    assert.equal(await placeFile(staged, root, 'a/b/c'), false);
    assert.equal(await placeFile(staged, root, 'a/b/c/d'), false);
    await symlink(folder.path, join(root, 'out'));
    assert.equal(await placeFile(staged, root, 'out/x'), false);
    assert.equal(await makeFolder(root, 'out/x'), false);
    assert.deepEqual((await readdir(folder.path)).toSorted(), ['root', 'staged']);
    await stageFile(staged, {
      kind: 'symlink',
      content: Buffer.from('nowhere'),
      isExecutable: false,
    });
    assert.equal(await placeFile(staged, root, 'l'), true);
    assert.equal(await readlink(join(root, 'l')), 'nowhere');
  });

  test('a moved file is complete, and empty folders are removed', async () => {
    await using folder = await tempDir();
    const [root, aside] = [join(folder.path, 'root'), join(folder.path, 'aside')];
    await mkdir(join(root, 'a/b/c'), { recursive: true });
    await writeFile(join(root, 'a/keep'), '');
    await writeFile(join(root, 'a/b/c/x'), 'x');
    assert.equal(await moveEntryAside(root, 'a/b/c/x', aside), true);
    assert.equal(await moveEntryAside(root, 'a/b/c/x', aside), false);
    await removeEmptyFolders(root, 'a/b/c');
    assert.deepEqual(
      [await readFile(aside, 'utf8'), await readdir(join(root, 'a'))],
      ['x', ['keep']],
    );
  });

  test('a new file looks like the one it replaces', async () => {
    await using folder = await tempDir();
    const [staged, model] = [join(folder.path, 'staged'), join(folder.path, 'model')];
    await writeFile(model, '');
    const cases: [model: number, isExecutable: boolean, expected: number][] = [
      [0o640, false, 0o640],
      [0o640, true, 0o750],
      [0o755, false, 0o644],
      [0o700, true, 0o700],
    ];
    for (const [mode, isExecutable, expected] of cases) {
      await chmod(model, mode);
      await stageFile(staged, { kind: 'file', content: Buffer.from(''), isExecutable });
      await copyMode(staged, model, isExecutable);
      assert.equal((await stat(staged)).mode & 0o777, expected);
    }
  });

  test('a tree with closed folders is removed', async () => {
    await using folder = await tempDir();
    const tree = join(folder.path, 'tree');
    await mkdir(join(tree, 'a/b'), { recursive: true });
    await writeFile(join(tree, 'a/b/x'), '');
    await chmod(join(tree, 'a/b'), 0o000);
    await chmod(join(tree, 'a'), 0o000);
    await removeTree(tree);
    assert.deepEqual(await readdir(folder.path), []);
  });
});

test('a blob has the name and the place that git expects', async () => {
  await using folder = await tempDir();
  const content = Buffer.from('what is up, doc?');
  const id = await writeBlob(folder.path, content);
  assert.deepEqual([id, blobId(content)], ['bd9dbf5aae1a3862dd1526723246b20206e5fc37', id]);
  assert.deepEqual(await readdir(join(folder.path, 'bd')), [id.slice(2)]);
});
