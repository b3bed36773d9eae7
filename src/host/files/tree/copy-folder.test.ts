import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { copyFolder } from './copy-folder.ts';

const BOUNDS = { entriesMax: 10, bytesMax: 1000 };

describe('a folder that is copied', () => {
  test('is there as a whole, and changes of the copy do not change it', async () => {
    await using dir = await tempDir();
    const [from, to] = [join(dir.path, 'from'), join(dir.path, 'new', 'to')];
    mkdirSync(join(from, 'deep'), { recursive: true });
    writeFileSync(join(from, 'deep', 'a.txt'), 'a');
    assert.equal(await copyFolder(from, to, BOUNDS), true);
    writeFileSync(join(to, 'deep', 'a.txt'), 'b');
    assert.equal(readFileSync(join(from, 'deep', 'a.txt'), 'utf8'), 'a');
    assert.equal(await copyFolder(from, to, BOUNDS), true);
    assert.equal(readFileSync(join(to, 'deep', 'a.txt'), 'utf8'), 'b');
  });

  test('replaces what a copy left that did not end', async () => {
    await using dir = await tempDir();
    const [from, to] = [join(dir.path, 'from'), join(dir.path, 'to')];
    mkdirSync(from);
    writeFileSync(join(from, 'a.txt'), 'a');
    mkdirSync(`${to}.unfinished`);
    writeFileSync(join(`${to}.unfinished`, 'half.txt'), 'h');
    assert.equal(await copyFolder(from, to, BOUNDS), true);
    assert.deepEqual(
      [existsSync(join(to, 'half.txt')), existsSync(join(to, 'a.txt'))],
      [false, true],
    );
  });

  test('is not there if it is missing or too large', async () => {
    await using dir = await tempDir();
    const [from, to] = [join(dir.path, 'from'), join(dir.path, 'to')];
    assert.equal(await copyFolder(from, to, BOUNDS), false);
    mkdirSync(from);
    writeFileSync(join(from, 'a.txt'), 'a'.repeat(2000));
    assert.equal(await copyFolder(from, to, BOUNDS), false);
    assert.deepEqual([existsSync(to), existsSync(`${to}.unfinished`)], [false, false]);
  });
});
