import { join } from 'node:path';
import type { JournalUnderTest } from '../testing/conformance/journal-under-test.ts';
import { journalConformance } from '../testing/conformance/journal-conformance.ts';
import { temporaryFolder } from '../../test/support/journal-files.ts';
import { MemoryDisk } from './memory/memory-disk.ts';
import { MemoryJournal } from './memory/memory-journal.ts';
import { openDatabase } from './sqlite/database.ts';
import { SqliteJournal } from './sqlite/sqlite-journal.ts';

journalConformance('memory', async () => {
  const disk = new MemoryDisk();
  return {
    journal: new MemoryJournal(disk),
    reopen: async () => new MemoryJournal(disk),
    fill: (full) => void (disk.full = full),
    dispose: async () => undefined,
  };
});

journalConformance('sqlite', async (): Promise<JournalUnderTest> => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const database = openDatabase(path);
  let journal = new SqliteJournal(database, path);
  return {
    journal,
    async reopen() {
      await journal.close();
      journal = SqliteJournal.open(path);
      return journal;
    },
    // A limit below the file size means: not one more page.
    fill: (full) => database.exec(`PRAGMA max_page_count = ${full ? 1 : 1_000_000}`),
    async dispose() {
      await journal.close();
      folder[Symbol.dispose]();
    },
  };
});
