import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isLockHeld, takeLock } from './lock-file.ts';

const options = { clock: new ManualClock(7), purpose: 'ours' };

describe('a lock between processes', () => {
  test('has one holder at a time, however many try, and the file of the lock stays', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.lock');
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => takeLock(path, options)));
      const taken = answers.filter((answer) => answer.kind === 'taken');
      assert.equal(taken.length, 1);
      assert.deepEqual(await readdir(folder.path), ['a.lock', 'a.lock.holder']);
      taken[0]?.release();
      assert.deepEqual(await readdir(folder.path), ['a.lock']);
    }
    assert.equal((await stat(path)).size, 0);
  });

  test('reports which process holds it, since when and for what', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.lock');
    const first = await takeLock(path, options);
    const second = await takeLock(path, { clock: new ManualClock(1000), purpose: 'theirs' });
    assert.ok(first.kind === 'taken' && second.kind === 'held');
    const { pid, since, purpose } = second.by ?? {};
    assert.deepEqual({ pid, since, purpose }, { pid: process.pid, since: 7, purpose: 'ours' });
    first.release();
  });

  test('released twice does not free the next holder', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'a.lock');
    const first = await takeLock(path, options);
    assert.ok(first.kind === 'taken');
    first.release();
    const next = await takeLock(path, options);
    first.release();
    assert.ok(next.kind === 'taken');
    assert.equal(isLockHeld(path), true);
    next.release();
    assert.equal(isLockHeld(path), false);
  });

  const left: [why: string, files: Readonly<Record<string, string>>][] = [
    ['an empty lock file', { 'a.lock': '' }],
    ['a lock file with other content', { 'a.lock': '{"pid":1,"startTime":1}'.repeat(200) }],
    ['the name of a holder that died', { 'a.lock.holder': '{"pid":1,"startTime":1,"since":0}' }],
    ['half a name', { 'a.lock': '', 'a.lock.holder': '{"pid":' }],
  ];
  for (const [why, files] of left) {
    test(`is free although ${why} exists`, async () => {
      await using folder = await tempDir();
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder.path, name), text);
      const path = join(folder.path, 'a.lock');
      assert.equal(isLockHeld(path), false);
      const answers = await Promise.all(Array.from({ length: 5 }, () => takeLock(path, options)));
      assert.equal(answers.filter(({ kind }) => kind === 'taken').length, 1);
      for (const answer of answers) if (answer.kind === 'taken') answer.release();
    });
  }

  test('checking whether it is held creates no file', async () => {
    await using folder = await tempDir();
    assert.equal(isLockHeld(join(folder.path, 'a.lock')), false);
    assert.deepEqual(await readdir(folder.path), []);
  });

  test('that cannot be created is an error, not a held lock', async () => {
    await using folder = await tempDir();
    await assert.rejects(takeLock(join(folder.path, 'absent', 'a.lock'), options), /open/);
  });
});
