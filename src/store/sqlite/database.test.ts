import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RefusalCode } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { submitted } from '../../testing/conformance/journal-events.ts';
import { temporaryFolder } from '../../../test/support/journal-files.ts';
import { checksumOfEvent } from '../checksum.ts';
import { openDatabase } from './database.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const RUN = runStream('a000000000');

function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
}

/** Creates a journal whose file names another schema version. */
function writeVersion(path: string, version: number): void {
  using database = openDatabase(path);
  database.exec(`PRAGMA user_version = ${version}`);
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
    [
      'a journal with an unknown schema version',
      'store.unknown-version',
      (path) => writeVersion(path, SCHEMA_VERSION + 1),
    ],
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

describe('case 59: the version of the schema', () => {
  test('an unknown one is refused with both versions', () => {
    for (const version of [SCHEMA_VERSION + 1, SCHEMA_VERSION - 1]) {
      using folder = temporaryFolder();
      const path = join(folder.path, 'journal.db');
      writeVersion(path, version);
      assert.throws(
        () => openDatabase(path),
        (error) =>
          isRefusal(error, 'store.unknown-version') &&
          error.data.details?.['found'] === version &&
          error.data.details['known'] === SCHEMA_VERSION,
      );
    }
  });

  test('an unknown one that is only in the write-ahead log is refused too', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    using newer = openDatabase(path);
    newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    assert.equal(readFileSync(path).readUInt32BE(60), SCHEMA_VERSION);
    assert.throws(
      () => openDatabase(path),
      (error) => isRefusal(error, 'store.unknown-version'),
    );
  });
});

test('an event of an unknown version is refused when it is read', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  using database = openDatabase(path);
  const journal = new SqliteJournal(database, path);
  const [event] = await journal.append(RUN, 0, [submitted()], at(1));
  assert.ok(event !== undefined);
  const v = EVENT_VERSION + 1;
  const payload = JSON.stringify(event.payload);
  const checksum = checksumOfEvent({ ...event, v, payload });
  database.prepare('UPDATE events SET v = ?, checksum = ?').run(v, checksum);
  await assert.rejects(journal.readAll({ after: 0, limit: 10 }), (error) =>
    isRefusal(error, 'store.unknown-version'),
  );
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

test('a file with other views gets those of this program, and keeps its facts', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const journal = SqliteJournal.open(path);
  await journal.append(RUN, 0, [submitted()], at(1));
  await journal.close();
  {
    using older = new DatabaseSync(path);
    older.exec('DROP VIEW metrics; DROP VIEW workflow; CREATE VIEW workflow AS SELECT 1 AS id');
  }
  using database = openDatabase(path);
  const count = (view: string): unknown =>
    database.prepare(`SELECT count(*) AS n, max(id) AS id FROM ${view}`).get();
  assert.deepEqual({ ...(count('workflow') as object) }, { n: 1, id: 'a000000000' });
  assert.deepEqual({ ...(count('metrics') as object) }, { n: 0, id: null });
});
