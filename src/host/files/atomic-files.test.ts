import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { ensurePrivateDir, moveFileAside, writeFileAtomic } from './atomic-files.ts';

const readMode = async (path: string) => (await stat(path)).mode & 0o777;

describe('writing a file atomically', () => {
  test('it is new and private, and no other file is left', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.json');
    await writeFileAtomic(path, 'one');
    await writeFileAtomic(path, 'two');
    assert.deepEqual(
      [await readFile(path, 'utf8'), await readMode(path), await readdir(folder.path)],
      ['two', 0o600, ['a.json']],
    );
  });

  test('it does the same if it need not survive a power loss', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.json');
    for (const text of ['one', 'two']) await writeFileAtomic(path, text, { durable: false });
    assert.deepEqual(
      [await readFile(path, 'utf8'), await readMode(path), await readdir(folder.path)],
      ['two', 0o600, ['a.json']],
    );
  });

  test('it has the requested mode', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.sh');
    await writeFileAtomic(path, '', { mode: 0o755 });
    assert.equal(await readMode(path), 0o755);
  });

  test('it leaves the old file untouched and nothing behind if it fails', async () => {
    await using folder = await tempDir();
    await mkdir(join(folder.path, 'a/full'), { recursive: true });
    await assert.rejects(writeFileAtomic(join(folder.path, 'a'), 'text'));
    assert.deepEqual(await readdir(folder.path), ['a']);
  });

  test('it never shows a partial file to a reader', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a');
    const texts = ['x'.repeat(300_000), 'y'.repeat(200_000)];
    await writeFile(path, texts[0] ?? '');
    const seen = new Set<string>();
    const written = new AbortController();
    const reading = (async () => {
      while (!written.signal.aborted) seen.add(await readFile(path, 'utf8'));
    })();
    for (let turn = 0; turn < 20; turn += 1) await writeFileAtomic(path, texts[turn % 2] ?? '');
    written.abort();
    await reading;
    assert.equal([...seen].filter((text) => !texts.includes(text)).length, 0);
  });
});

test('a private folder is created with its parents, and closed if it was open', async () => {
  await using folder = await tempDir();
  const path = join(folder.path, 'a/b');
  await ensurePrivateDir(path);
  assert.equal(await readMode(path), 0o700);
  await mkdir(join(folder.path, 'open'), { mode: 0o755 });
  await ensurePrivateDir(join(folder.path, 'open'));
  assert.equal(await readMode(join(folder.path, 'open')), 0o700);
});

test('a file that is moved aside is kept, and a missing one is no error', async () => {
  await using folder = await tempDir();
  const path = join(folder.path, 'home');
  await moveFileAside(path, 'before-1');
  await mkdir(path);
  await writeFile(join(path, 'a'), '');
  await moveFileAside(path, 'before-2');
  assert.deepEqual(await readdir(folder.path), ['home.before-2']);
  assert.deepEqual(await readdir(join(folder.path, 'home.before-2')), ['a']);
});
