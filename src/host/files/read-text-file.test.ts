import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { errnoCode } from './errno.ts';
import { readSmallFile, readTextFile } from './read-text-file.ts';

test('a small file is read completely, and anything else is refused', async () => {
  await using dir = await tempDir();
  const path = (name: string) => join(dir.path, name);
  await writeFile(path('four'), 'four');
  await writeFile(path('five!'), 'five!');
  await mkdir(path('folder'));
  execFileSync('mkfifo', [path('pipe')]);

  const cases: [why: string, name: string, expected: unknown][] = [
    ['as large as asked for', 'four', { kind: 'text', text: 'four' }],
    ['larger', 'five!', { kind: 'unreadable', code: 'EFBIG' }],
    ['not there', 'none', { kind: 'absent' }],
    ['under a file', 'four/none', { kind: 'absent' }],
    ['a folder', 'folder', { kind: 'unreadable', code: 'EINVAL' }],
    ['a pipe without a writer', 'pipe', { kind: 'unreadable', code: 'EINVAL' }],
  ];
  for (const [why, name, expected] of cases) {
    assert.deepEqual(await readSmallFile(path(name), 4), expected, why);
  }
});

test('a text file is read up to one byte more than asked for, and a pipe never blocks', async () => {
  await using dir = await tempDir();
  const path = (name: string) => join(dir.path, name);
  await writeFile(path('long'), 'x'.repeat(100));
  execFileSync('mkfifo', [path('pipe')]);
  assert.equal(await readTextFile(path('long'), 4), 'xxxxx');
  assert.equal(await readTextFile(path('none'), 4), undefined);
  await assert.rejects(readTextFile(path('pipe'), 4), (error) => errnoCode(error) === 'EINVAL');
  await assert.rejects(readTextFile(dir.path, 4), (error) => errnoCode(error) === 'EISDIR');
});

const MAX = 20_000;

describe('a file that is read up to a bound', () => {
  for (const bytes of [0, 1, 4095, 4096, 4097, MAX - 1, MAX])
    test(`of ${bytes} bytes is read whole`, async () => {
      await using dir = await tempDir();
      const path = join(dir.path, 'file');
      const text = 'x'.repeat(bytes);
      await writeFile(path, text);
      assert.equal(await readTextFile(path, MAX), text);
      assert.deepEqual(await readSmallFile(path, MAX), { kind: 'text', text });
    });

  const KERNEL = '/proc/self/smaps';
  const skip = existsSync(KERNEL) ? false : `this machine has no ${KERNEL}`;
  test('is read whole although the kernel gives it a size of zero', { skip }, async () => {
    const text = (await readTextFile(KERNEL, 10_000_000)) ?? '';
    assert.match(text, /^VmFlags:.*\n$/m);
    assert.equal(text.length > 10_000, true, `it has ${text.length} characters`);
  });
});
