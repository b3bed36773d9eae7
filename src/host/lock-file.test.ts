import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { holderOf, takeLock } from './lock-file.ts';

const graceMs = 1000;
const dead = { pid: process.pid, startTime: 1, since: 0, purpose: 'theirs' };

describe('a lock that is a file', () => {
  test('is had by one at a time, however many try', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'lock');
    const options = { clock: new ManualClock(), purpose: 'ours', graceMs };
    const answers = await Promise.all(Array.from({ length: 20 }, () => takeLock(path, options)));
    const taken = answers.filter((answer) => answer.kind === 'taken');
    assert.equal(taken.length, 1);
    assert.deepEqual(await readdir(folder.path), ['lock']);
    await taken[0]?.release();
    assert.deepEqual(await readdir(folder.path), []);
  });

  const cases: [why: string, atMs: number, purpose: string, expected: string][] = [
    ['of the dead is left alone for its grace', 999, 'ours', 'held'],
    ['of the dead is taken over after it', 1000, 'ours', 'taken'],
    ['of the dead is taken over at once for the same purpose', 0, 'theirs', 'taken'],
  ];
  for (const [why, atMs, purpose, expected] of cases) {
    test(why, async () => {
      await using folder = await tempDir();
      const path = join(folder.path, 'lock');
      await writeFile(path, JSON.stringify(dead));
      const { kind } = await takeLock(path, { clock: new ManualClock(atMs), purpose, graceMs });
      assert.equal(kind, expected);
    });
  }

  test('of the dead is taken over by one only, and its release does not free that of another', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'lock');
    await writeFile(path, JSON.stringify(dead));
    const options = { clock: new ManualClock(5000), purpose: 'ours', graceMs };
    const answers = await Promise.all(Array.from({ length: 20 }, () => takeLock(path, options)));
    const taken = answers.filter((answer) => answer.kind === 'taken');
    assert.equal(taken.length, 1);
    await writeFile(path, JSON.stringify({ ...dead, purpose: 'a third' }));
    await taken[0]?.release();
    assert.equal((await holderOf(path))?.purpose, 'a third');
  });

  test('that lives is never taken over, and one that says nothing is held', async () => {
    await using folder = await tempDir();
    const path = join(folder.path, 'lock');
    const clock = new ManualClock();
    await takeLock(path, { clock, purpose: 'ours', graceMs });
    await clock.advance(1_000_000);
    assert.equal((await takeLock(path, { clock, purpose: 'ours', graceMs })).kind, 'held');
    await writeFile(path, 'half a lo');
    assert.equal((await takeLock(path, { clock, purpose: 'other', graceMs })).kind, 'held');
  });
});
