import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { copyFolder } from './copy-folder.ts';
import { removeDeep } from './remove-deep.ts';

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

  const refusedParts: [why: string, plant: (folder: string) => void, skip?: string | false][] = [
    [
      'a path that is too long for the system',
      (folder) => {
        const script = `for (let i = 0; i < 40; i++) {
          require('fs').mkdirSync('${'n'.repeat(250)}');
          process.chdir('${'n'.repeat(250)}');
        }`;
        execFileSync(process.execPath, ['-e', script], { cwd: folder });
      },
    ],
    [
      'a file that we cannot read',
      (folder) => writeFileSync(join(folder, 'closed'), 'x', { mode: 0 }),
      process.getuid?.() === 0 && 'nothing is closed to root',
    ],
  ];
  for (const [why, plant, skip = false] of refusedParts)
    test(`is not there, and no part of it stays, if it has ${why}`, { skip }, async () => {
      await using dir = await tempDir();
      const [from, to] = [join(dir.path, 'from'), join(dir.path, 'to')];
      mkdirSync(from);
      plant(from);
      try {
        assert.equal(await copyFolder(from, to, { entriesMax: 100, bytesMax: 1000 }), false);
        assert.deepEqual(readdirSync(dir.path), ['from']);
      } finally {
        await removeDeep(from);
      }
    });
});
