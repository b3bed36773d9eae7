import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import {
  begun,
  ended,
  event,
  finished,
  noted,
  submitted,
} from '../../testing/conformance/journal-events.ts';
import { temporaryFolder } from '../../../test/support/journal-files.ts';
import { checksumOfEvent } from '../checksum.ts';
import { openDatabase } from './database.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const RUN = runStream('a000000000');

test('case 55: of the appends of one turn, only the one without disk space is refused', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  using database = openDatabase(path);
  const journal = new SqliteJournal(database, path);
  await journal.append(RUN, 0, [submitted()], at(1));
  database.exec('PRAGMA max_page_count = 1');
  const settled = await Promise.allSettled([
    journal.append(RUN, 1, [begun('small')], at(2)),
    journal.append(runStream('b'), 0, [noted('one', 'x'.repeat(100_000))], at(2)),
    journal.append(RUN, 2, [ended('small')], at(2)),
  ]);
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value[0]?.id : one.reason.data.code)),
    [2, 'store.full', 3],
  );
  assert.deepEqual([await journal.lastSeq(RUN), await journal.lastSeq(runStream('b'))], [3, 0]);
});

test('the appends of one turn are one commit', async () => {
  using folder = temporaryFolder();
  const journal = SqliteJournal.open(join(folder.path, 'journal.db'));
  const commits: number[] = [];
  journal.onCommit((lastId) => commits.push(lastId));
  await Promise.all(
    [1, 2, 3].map((n) => journal.append(runStream(`${n}`), 0, [submitted()], at(n))),
  );
  await journal.append(RUN, 0, [submitted()], at(4));
  assert.deepEqual(commits, [3, 4]);
  await journal.close();
});

test('more streams than fit into the cache are all known', async () => {
  using folder = temporaryFolder();
  const journal = SqliteJournal.open(join(folder.path, 'journal.db'));
  const streams = Array.from({ length: 1500 }, (_, index) => runStream(`${index}`));
  const appendToAll = async (lastSeq: number, event = begun('one')): Promise<void> => {
    await Promise.all(streams.map((stream) => journal.append(stream, lastSeq, [event], at(1))));
  };
  await appendToAll(0, submitted());
  await appendToAll(1);
  await appendToAll(2);
  const views = await journal.runs({ limit: 2000 });
  assert.deepEqual([views.length, new Set(views.map(({ begun }) => begun))], [1500, new Set([2])]);
  await journal.close();
});

test('a write by another process is a conflict, and afterwards the journal continues from the file', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const journal = SqliteJournal.open(path);
  await journal.append(RUN, 0, [submitted()], at(1));
  {
    using stranger = new DatabaseSync(path);
    const payload = '{"key":"one","how":"ask"}';
    const fact = { stream: RUN, seq: 2, type: 'command.cancelled', v: EVENT_VERSION, at: 2 };
    const checksum = checksumOfEvent({ id: 2, ...fact, payload });
    stranger
      .prepare(
        'INSERT INTO events (stream, seq, type, v, at, payload, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(...Object.values(fact), payload, checksum);
  }
  await assert.rejects(journal.append(RUN, 1, [begun('one')], at(3)), (error) =>
    isRefusal(error, 'store.conflict'),
  );
  await journal.append(RUN, 2, [begun('one')], at(4));
  assert.equal(await journal.lastId(), 3);
  await journal.close();
});

test('the row of a run lags behind its facts, and no reader sees that', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const rowSeq = (database: DatabaseSync): unknown =>
    database.prepare("SELECT view ->> '$.seq' AS seq FROM runs").get()?.['seq'];
  const seen: unknown[] = [];
  for (let seq = 0; seq < 70; seq += 7) {
    // Opened again each time: nothing is cached, and an owner may die after any fact.
    using database = openDatabase(path);
    const journal = new SqliteJournal(database, path);
    const first = seq === 0 ? [submitted()] : [begun(`n-${seq}`)];
    const rest = Array.from({ length: 6 }, (_, n) => begun(`n-${seq + n + 1}`));
    const before = await journal.runs({ limit: 9 });
    await journal.append(RUN, seq, [...first, ...rest], at(seq));
    const [after] = await journal.runs({ limit: 9 });
    assert.deepEqual([before[0]?.seq ?? 0, after?.seq, after?.begun], [seq, seq + 7, seq + 6]);
    seen.push(rowSeq(database));
  }
  assert.deepEqual(seen, [7, 7, 7, 7, 35, 35, 35, 35, 35, 70]);
  using database = openDatabase(path);
  const journal = new SqliteJournal(database, path);
  assert.equal((await journal.run('a000000000'))?.open.length, 69);
  await journal.append(RUN, 70, [finished()], at(71));
  await journal.append(RUN, 71, [noted('n-1', 'late')], at(72));
  assert.equal(rowSeq(database), 72);
});

test('a SQL shell shows runs as workflows, and committed work and snapshots as checkpoints', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  using database = openDatabase(path);
  const journal = new SqliteJournal(database, path);
  await journal.append(RUN, 0, [submitted(), begun('one'), begun('two')], at(10));
  await journal.append(RUN, 3, [ended('one')], at(20));
  const kept = { kind: 'committed', commit: 'c0ffee', files: 2 };
  const note = event('command.noted', { key: 'two', command: 'attempt', note: kept });
  const fork = runStream('c');
  await journal.append(fork, 0, [submitted(), begun('two'), note, ended('two')], at(25));
  await journal.saveSnapshot(fork, { maker: 'fold@1', seq: 4, state: { n: 2 } });
  await journal.append(runStream('b'), 0, [submitted(), finished()], at(30));
  await journal.saveSnapshot(RUN, { maker: 'fold@1', seq: 4, state: { n: 1 } });
  const rows = (sql: string): unknown[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  assert.deepEqual(rows("SELECT * FROM workflow WHERE id <> 'c' ORDER BY id"), [
    {
      id: 'a000000000',
      current_step: 'two',
      component: null,
      status: 'active',
      created_at: 10,
      updated_at: 20,
    },
    {
      id: 'b',
      current_step: null,
      component: null,
      status: 'completed',
      created_at: 30,
      updated_at: 30,
    },
  ]);
  assert.deepEqual(rows('SELECT * FROM checkpoints ORDER BY id'), [
    {
      id: 4,
      workflow_id: 'a000000000',
      git_sha: null,
      context_snapshot: '{"n":1}',
      timestamp: 20,
    },
    {
      id: 7,
      workflow_id: 'c',
      git_sha: 'c0ffee',
      context_snapshot: JSON.stringify(kept),
      timestamp: 25,
    },
    { id: 8, workflow_id: 'c', git_sha: 'c0ffee', context_snapshot: '{"n":2}', timestamp: 25 },
  ]);
});
