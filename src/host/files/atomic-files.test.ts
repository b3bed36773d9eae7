import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { ensurePrivateDir, moveFileAside, writeFileAtomic } from './atomic-files.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('writing a file at once', () => {
  test('it is new, private and alone', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.json');
    await writeFileAtomic(path, 'one');
    await writeFileAtomic(path, 'two');
    assert.deepEqual(
      [await readFile(path, 'utf8'), await modeOf(path), await readdir(folder.path)],
      ['two', 0o600, ['a.json']],
    );
  });

  test('the same where it need not outlive a power loss', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.json');
    for (const text of ['one', 'two']) await writeFileAtomic(path, text, { durable: false });
    assert.deepEqual(
      [await readFile(path, 'utf8'), await modeOf(path), await readdir(folder.path)],
      ['two', 0o600, ['a.json']],
    );
  });

  test('its mode is what was asked for', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.sh');
    await writeFileAtomic(path, '', { mode: 0o755 });
    assert.equal(await modeOf(path), 0o755);
  });

  test('when it fails, the old one is untouched and nothing is left behind', async () => {
    await using folder = await tempDir();
    await mkdir(join(folder.path, 'a/full'), { recursive: true });
    await assert.rejects(writeFileAtomic(join(folder.path, 'a'), 'text'));
    assert.deepEqual(await readdir(folder.path), ['a']);
  });

  test('a reader never sees half of it', async () => {
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

test('a private folder is made with those above it, and closed if it was open', async () => {
  await using folder = await tempDir();
  const path = join(folder.path, 'a/b');
  await ensurePrivateDir(path);
  assert.equal(await modeOf(path), 0o700);
  await mkdir(join(folder.path, 'open'), { mode: 0o755 });
  await ensurePrivateDir(join(folder.path, 'open'));
  assert.equal(await modeOf(join(folder.path, 'open')), 0o700);
});

test('what is moved aside makes room and is kept; what is not there is no trouble', async () => {
  await using folder = await tempDir();
  const path = join(folder.path, 'home');
  await moveFileAside(path, 'before-1');
  await mkdir(path);
  await writeFile(join(path, 'a'), '');
  await moveFileAside(path, 'before-2');
  assert.deepEqual(await readdir(folder.path), ['home.before-2']);
  assert.deepEqual(await readdir(join(folder.path, 'home.before-2')), ['a']);
});
