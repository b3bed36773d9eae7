import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomInt } from '../base/random.ts';
import { temporaryFolder } from '../../test/support/journal-files.ts';
import { powerCutConformance } from '../testing/conformance/power-cut-conformance.ts';
import { MemoryDisk } from './memory/memory-disk.ts';
import { MemoryJournal } from './memory/memory-journal.ts';
import { openDatabase } from './sqlite/database.ts';
import { SqliteJournal } from './sqlite/sqlite-journal.ts';

powerCutConformance('memory', async () => {
  const disk = new MemoryDisk();
  return {
    journal: new MemoryJournal(disk),
    async failsDuring(write, random) {
      disk.onSync = () => disk.losePower(random);
      await write();
      return new MemoryJournal(disk);
    },
    dispose: async () => undefined,
  };
});

// Beyond the synced part, the log may end at any byte.
powerCutConformance('sqlite', async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const cut = join(folder.path, 'cut.db');
  const database = openDatabase(path);
  database.exec('PRAGMA wal_autocheckpoint = 0');
  const journal = new SqliteJournal(database, path);
  return {
    journal,
    async failsDuring(write, random) {
      const synced = statSync(`${path}-wal`).size;
      await write();
      const log = readFileSync(`${path}-wal`);
      copyFileSync(path, cut);
      const end = random() < 0.2 ? log.length : randomInt(random, synced, log.length);
      writeFileSync(`${cut}-wal`, log.subarray(0, end));
      await journal.close();
      return SqliteJournal.open(cut);
    },
    async dispose() {
      folder[Symbol.dispose]();
    },
  };
});

// R10: if strace is missing, `test/crash/journal-synced.test.ts` cannot see the system calls.
test('SQLite is configured to sync each commit', () => {
  using folder = temporaryFolder();
  const database = openDatabase(join(folder.path, 'journal.db'));
  const FULL = 2;
  assert.equal(database.prepare('PRAGMA synchronous').get()?.['synchronous'], FULL);
  database.close();
});
