import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RefusalCode } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import { EVENT_VERSION, runStream } from '../../protocol/event.ts';
import { begun, submitted } from '../../testing/conformance/journal-events.ts';
import { temporaryFolder } from '../../../test/support/journal-files.ts';
import { openDatabase } from './database.ts';
import { MIGRATIONS } from './schema.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const FUTURE = [...MIGRATIONS, 'ALTER TABLE events ADD COLUMN mood TEXT'];
const RUN = runStream('a000000000');

function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
}

test('only its user can read a journal', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const database = openDatabase(path);
  const modes = readdirSync(folder.path).map(
    (name) => statSync(join(folder.path, name)).mode & 0o777,
  );
  database.close();
  assert.deepEqual([...new Set(modes)], [0o600]);
});

describe('a file that is not our journal is refused and left unchanged', () => {
  const cases: [why: string, code: RefusalCode, make: (path: string) => void][] = [
    ['a text file', 'store.damaged', (path) => writeFileSync(path, 'not a database\n'.repeat(50))],
    ['a text shorter than a header', 'store.damaged', (path) => writeFileSync(path, 'hi')],
    [
      'a database of another program',
      'store.damaged',
      (path) => {
        using other = new DatabaseSync(path);
        other.exec('CREATE TABLE theirs (x)');
      },
    ],
    ['a newer journal', 'store.newer-schema', (path) => openDatabase(path, FUTURE).close()],
  ];
  for (const [why, code, make] of cases) {
    test(why, () => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'journal.db');
      make(path);
      const before = filesIn(folder.path);
      assert.throws(
        () => SqliteJournal.open(path),
        (error) => isRefusal(error, code) && error.message.includes(path),
      );
      assert.deepEqual(filesIn(folder.path), before);
    });
  }

  test('a journal with a page overwritten is refused as damaged', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    const journal = SqliteJournal.open(path);
    await journal.append(RUN, 0, [submitted()], at(1));
    await journal.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100, 4096));
    assert.throws(
      () => SqliteJournal.open(path),
      (error) => isRefusal(error, 'store.damaged'),
    );
  });
});

describe('the version of the schema', () => {
  test('case 59: a newer one is refused with both versions', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    openDatabase(path, FUTURE).close();
    assert.throws(
      () => openDatabase(path),
      (error) =>
        isRefusal(error, 'store.newer-schema') &&
        error.data.details?.['found'] === FUTURE.length &&
        error.data.details['known'] === MIGRATIONS.length,
    );
  });

  test('case 59: a newer one that is only in the write-ahead log is refused too', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    using newer = openDatabase(path);
    newer.exec(`PRAGMA user_version = ${FUTURE.length}`);
    assert.throws(
      () => openDatabase(path),
      (error) => isRefusal(error, 'store.newer-schema'),
    );
  });

  test('an older one is migrated with all its content', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    const journal = SqliteJournal.open(path);
    const events = await journal.append(RUN, 0, [submitted(), begun('one')], at(1));
    await journal.close();
    using newer = openDatabase(path, FUTURE);
    // In the file itself, not only in the log: an older program finds the version there without opening the database.
    assert.equal(readFileSync(path).readUInt32BE(60), FUTURE.length);
    const migrated = new SqliteJournal(newer, path);
    assert.deepEqual(await migrated.readAll({ after: 0, limit: 10 }), events);
  });

  test('a failed migration leaves the previous version', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    openDatabase(path).close();
    assert.throws(() => openDatabase(path, [...FUTURE, 'no such statement']), /syntax error/);
    using database = openDatabase(path);
    const columns = database.prepare("SELECT name FROM pragma_table_info('events')").all();
    assert.equal(
      columns.some(({ name }) => name === 'mood'),
      false,
    );
  });

  test('an event of a newer version is refused when it is read', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    using database = openDatabase(path);
    const journal = new SqliteJournal(database, path);
    await journal.append(RUN, 0, [submitted()], at(1));
    database.exec(`
      UPDATE events SET v = ${EVENT_VERSION + 1};
      UPDATE events SET checksum = event_checksum(id, stream, seq, type, v, at, payload);
    `);
    await assert.rejects(journal.readAll({ after: 0, limit: 10 }), (error) =>
      isRefusal(error, 'store.newer-schema'),
    );
  });
});

describe('a path that cannot be opened', () => {
  const cases: [why: string, make: (folder: string) => string][] = [
    ['a missing folder', (folder) => join(folder, 'absent', 'journal.db')],
    [
      'a folder in place of the file',
      (folder) => {
        mkdirSync(join(folder, 'journal.db'));
        return join(folder, 'journal.db');
      },
    ],
  ];
  for (const [why, make] of cases) {
    test(`${why} is refused by name`, () => {
      using folder = temporaryFolder();
      const path = make(folder.path);
      assert.throws(
        () => SqliteJournal.open(path),
        (error) => isRefusal(error, 'store.unreadable') && error.message.includes(path),
      );
    });
  }
});
