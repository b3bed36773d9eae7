import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import { fileTime } from '../host/files/file-time.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { OWNER_STREAM } from '../protocol/streams.ts';
import { MemoryDisk } from '../store/memory/memory-disk.ts';
import { MemoryJournal } from '../store/memory/memory-journal.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { lastAlive, markAlive, writeOwnerFile } from './owner-file.ts';

async function journalWith(factAt?: number): Promise<MemoryJournal> {
  const journal = new MemoryJournal(new MemoryDisk());
  const stopped = { type: 'owner.stopped', payload: { reason: 'idle' } } as const;
  if (factAt !== undefined) await journal.append(OWNER_STREAM, 0, [stopped], at(factAt));
  return journal;
}

describe('the file of the owner', () => {
  test('shows until when an owner that was killed was alive', async () => {
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    await writeOwnerFile(home, { pid: 1 });
    const clock = new ManualClock(1_000_000);
    const killed = new AbortController();
    const marking = markAlive(clock, home, killed.signal);
    await clock.advance(59_000);
    killed.abort();
    await marking;
    assert.equal(fileTime(home.ownerFile), 1_030_000);
    assert.equal(await lastAlive(await journalWith(500), home, 2_000_000), 1_030_000);
    assert.equal(await lastAlive(await journalWith(1_040_000), home, 2_000_000), 1_040_000);
  });

  test('counts for nothing without a fact, and a time in the future does not count', async () => {
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    await writeFile(home.ownerFile, '{}'); // it was written later than `now`
    assert.equal(await lastAlive(await journalWith(), home, 1000), undefined);
    assert.equal(await lastAlive(await journalWith(500), home, 1000), 500);
    assert.equal(await lastAlive(await journalWith(1500), home, 1000), undefined);
  });

  test('is refused with its name if a folder is in its place', async () => {
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    await mkdir(home.ownerFile);
    await assert.rejects(writeOwnerFile(home, {}), (error) => {
      assert.ok(isRefusal(error, 'home.unusable'));
      assert.match(error.message, /owner\.json in it is a folder, not a file/);
      return true;
    });
  });
});
