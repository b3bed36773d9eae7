import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { renameSync, truncateSync } from 'node:fs';
import { chmod, link, mkdir, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { diskUse } from './disk-use.ts';
import { removeTree } from './tree/write-tree.ts';

const never = new AbortController().signal;

test('the disk use of files is counted at every depth, without link targets and holes', async () => {
  await using dir = await tempDir();
  await mkdir(join(dir.path, 'a/b'), { recursive: true });
  await writeFile(join(dir.path, 'a/b/file'), Buffer.alloc(1_000_000, 1));
  await writeFile(join(dir.path, 'sparse'), '');
  await truncate(join(dir.path, 'sparse'), 1_000_000_000_000);
  await symlink('/', join(dir.path, 'link'));
  const { bytes: used } = await diskUse([dir.path], 1e12, never);
  assert.ok(used >= 1_000_000 && used < 2_000_000, `${used}`);
});

test('case 28: a thousand empty files count', async () => {
  await using dir = await tempDir();
  for (let file = 0; file < 1000; file += 1) await writeFile(join(dir.path, `${file}`), '');
  assert.equal((await diskUse([dir.path], 1e12, never)).bytes, 4_096_000);
});

test('a missing folder takes no space', async () => {
  await using dir = await tempDir();
  assert.deepEqual(await diskUse([join(dir.path, 'absent')], 1e9, never), {
    bytes: 0,
    uncounted: null,
    changed: false,
  });
});

test('counting stops once the limit is exceeded', async () => {
  await using dir = await tempDir();
  for (let file = 0; file < 20; file += 1)
    await writeFile(join(dir.path, `${file}`), Buffer.alloc(100_000, 1));
  const { bytes: used } = await diskUse([dir.path], 300_000, never);
  assert.ok(used > 300_000 && used < 600_000, `${used}`);
});

/** Waits until earlier changes count as past, also on a file system that stores whole seconds. */
async function untilQuiet(folder: string): Promise<void> {
  await eventually(
    'nothing changes',
    async () => !(await diskUse([folder], 1e12, never)).changed,
    60_000,
  );
}

const CHANGES: [why: string, change: (folder: string) => void][] = [
  ['a file that moves', (at) => renameSync(join(at, 'two/in/file'), join(at, 'one/file'))],
  ['a folder that moves', (at) => renameSync(join(at, 'two/in'), join(at, 'one/in'))],
  ['a file that is truncated', (at) => truncateSync(join(at, 'two/in/file'), 0)],
];
for (const [why, change] of CHANGES)
  test(`H7: ${why} during a count is detected`, async () => {
    await using dir = await tempDir();
    for (const name of ['one', 'two/in']) await mkdir(join(dir.path, name), { recursive: true });
    await writeFile(join(dir.path, 'two/in/file'), Buffer.alloc(1_000_000, 1));
    await untilQuiet(dir.path);
    // A count starts at once, and has read its first folder when it first waits.
    const folders = [join(dir.path, 'one'), join(dir.path, 'two')];
    const counting = diskUse(folders, 1e12, never);
    change(dir.path);
    const { bytes, changed } = await counting;
    assert.ok(bytes < 1_000_000, `${bytes}: nothing was hidden`);
    assert.equal(changed, true);
    await untilQuiet(dir.path);
  });

const MILLION = Buffer.alloc(1_000_000, 1);

test('H7: a file counts once under several names, and under names that are not text', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'one'), MILLION);
  await link(join(dir.path, 'one'), join(dir.path, 'two'));
  const odd = Buffer.concat([Buffer.from(`${dir.path}/`), Buffer.from([0xff, 0xfe])]);
  await mkdir(odd);
  await writeFile(Buffer.concat([odd, Buffer.from('/'), Buffer.from([0x80])]), MILLION);
  const { bytes, uncounted } = await diskUse([dir.path], 1e12, never);
  assert.ok(bytes >= 2_000_000 && bytes < 2_100_000, `${bytes}`);
  assert.equal(uncounted, null);
});

/** A chain of folders that is too long for any path. */
function deep(root: string, levels: number, name: string): void {
  const script = `const fs = require('fs'); for (let i = 0; i < ${levels}; i++) { fs.mkdirSync('${name}'); process.chdir('${name}'); } fs.writeFileSync('file', Buffer.alloc(1e6, 1))`;
  const { stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  assert.equal(stderr, '');
}

test('H7: a file counts below a path that is too long for the system', async () => {
  await using dir = await tempDir();
  deep(dir.path, 30, 'n'.repeat(250));
  const { bytes } = await diskUse([dir.path], 1e12, never);
  assert.ok(bytes >= 1_000_000, `${bytes}`);
  await removeTree(join(dir.path, 'n'.repeat(250)));
});

test('H7: folders that are nested too deep are reported as uncounted', async () => {
  await using dir = await tempDir();
  deep(dir.path, 600, 'n');
  const { uncounted } = await diskUse([dir.path], 1e12, never);
  assert.match(`${uncounted}`, /nested more than 500 deep/);
});

test(
  'H7: a file counts in a folder that its owner has closed to themselves',
  { skip: process.getuid?.() === 0 && 'nothing is closed to root' },
  async () => {
    await using dir = await tempDir();
    for (const [name, mode] of [
      ['write-only', 0o300],
      ['no-way', 0o000],
      ['list-only', 0o600],
    ] as const) {
      await mkdir(join(dir.path, name));
      await writeFile(join(dir.path, name, 'file'), MILLION);
      await chmod(join(dir.path, name), mode);
    }
    const { bytes, uncounted } = await diskUse([dir.path], 1e12, never);
    for (const name of ['write-only', 'no-way', 'list-only'])
      await chmod(join(dir.path, name), 0o700); // so that it can be removed
    assert.ok(bytes >= 3_000_000, `${bytes}`);
    assert.equal(uncounted, null);
  },
);

test('counting leaves the mode of every folder unchanged', async () => {
  await using dir = await tempDir();
  const modes = [0o555, 0o000, 0o300, 0o2555, 0o3700, 0o1077];
  for (const mode of modes) {
    const folder = join(dir.path, mode.toString(8));
    await mkdir(join(folder, 'inner'), { recursive: true });
    await chmod(folder, mode);
  }
  assert.equal((await diskUse([dir.path], 1e12, never)).uncounted, null);
  for (const mode of modes) {
    const folder = join(dir.path, mode.toString(8));
    assert.equal((await stat(folder)).mode & 0o7777, mode);
    await chmod(folder, 0o700);
  }
});

test('counting does not change the mode of a folder that can be read', async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, 'read-only');
  await mkdir(folder, { mode: 0o555 });
  await chmod(folder, 0o2555);
  const before = (await stat(folder, { bigint: true })).ctimeNs;
  await diskUse([dir.path], 1e12, never);
  assert.equal((await stat(folder, { bigint: true })).ctimeNs, before);
});
