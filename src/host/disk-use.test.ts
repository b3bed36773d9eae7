import assert from 'node:assert/strict';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../testing/temp-dir.ts';
import { diskUse } from './disk-use.ts';

const never = new AbortController().signal;

test('what files take is counted, at every depth, and neither where a link leads nor holes are', async () => {
  await using dir = await tempDir();
  await mkdir(join(dir.path, 'a/b'), { recursive: true });
  await writeFile(join(dir.path, 'a/b/file'), Buffer.alloc(1_000_000, 1));
  await writeFile(join(dir.path, 'sparse'), '');
  await truncate(join(dir.path, 'sparse'), 1_000_000_000_000);
  await symlink('/', join(dir.path, 'link'));
  const used = await diskUse([dir.path], 1e12, never);
  assert.ok(used >= 1_000_000 && used < 2_000_000, `${used}`);
});

test('case 28: a thousand empty files are not nothing', async () => {
  await using dir = await tempDir();
  for (let file = 0; file < 1000; file += 1) await writeFile(join(dir.path, `${file}`), '');
  assert.equal(await diskUse([dir.path], 1e12, never), 4_096_000);
});

test('a folder that is not there takes nothing', async () => {
  await using dir = await tempDir();
  assert.equal(await diskUse([join(dir.path, 'absent')], 1e9, never), 0);
});

test('nobody counts on once it is too much', async () => {
  await using dir = await tempDir();
  for (let file = 0; file < 20; file += 1)
    await writeFile(join(dir.path, `${file}`), Buffer.alloc(100_000, 1));
  const used = await diskUse([dir.path], 300_000, never);
  assert.ok(used > 300_000 && used < 600_000, `${used}`);
});
