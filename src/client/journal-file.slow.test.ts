/** Moves the journal of a home between its file and a real PostgreSQL. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { RefusalCode } from '../base/errors.ts';
import { at } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import { exportToFile, importFromFile } from './journal-file.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { newOwnerId } from '../host/process/owner-id.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { runStream } from '../protocol/streams.ts';
import { SqliteJournal } from '../store/sqlite/sqlite-journal.ts';
import { begun, ended, submitted } from '../testing/conformance/journal-events.ts';
import { movePath } from '../store/postgres/home-database.ts';
import { PostgresCluster, skipWithoutPostgres } from '../../test/support/postgres-cluster.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openTestOwner } from '../../test/support/test-owner.ts';
import type { MoveOptions } from '../owner/move-journal.ts';

const RUN = runStream('a000000000');
const TASK = 'zero \0, half \ud800, emoji 😀';

function optionsOf(dir: string): MoveOptions {
  return {
    home: homeAt(dir, dir),
    ownerId: newOwnerId(),
    pid: process.pid,
    clock: systemClock,
  };
}

/** A home whose journal has two runs, one of them open. */
async function homeWithRuns(dir: string): Promise<void> {
  const journal = SqliteJournal.open(join(dir, 'journal.db'));
  await journal.append(RUN, 0, [submitted('/project', TASK), begun('one')], at(0.5));
  await journal.append(runStream('b000000000'), 0, [submitted()], at(2));
  await journal.append(RUN, 2, [ended('one')], at(3));
  await journal.close();
}

const refused =
  (code: RefusalCode, words = /./) =>
  (error: unknown): boolean =>
    isRefusal(error, code) && words.test(error.message);

describe('moving the journal of a home', { skip: skipWithoutPostgres, timeout: 600_000 }, () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await PostgresCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  test('to a database and back keeps every fact, and what the rows of runs say', async () => {
    await using dir = await tempDir();
    await homeWithRuns(dir.path);
    const [one, two] = [join(dir.path, 'one'), join(dir.path, 'two')];
    const options = optionsOf(dir.path);
    assert.equal((await exportToFile(options, one)).facts, 4);
    const schema = cluster.newSchema();
    const moved = await importFromFile(options, { db: cluster.url(schema) }, one);
    assert.deepEqual([moved.facts, moved.journal.includes(schema)], [4, true]);
    await exportToFile(options, two);
    assert.equal(await readFile(two, 'utf8'), await readFile(one, 'utf8'));
    assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.runs`), '2');

    const three = join(dir.path, 'three');
    await (await openTestOwner(dir.path)).close('it worked on the database');
    await exportToFile(options, three);
    const back = importFromFile(options, { file: true }, three);
    await assert.rejects(back, refused('store.not-empty', /journal\.db has runs already/));
    await rename(join(dir.path, 'journal.db'), join(dir.path, 'old.db'));
    await rm(join(dir.path, 'journal.db.made'));
    assert.equal((await importFromFile(options, { file: true }, three)).facts, 6);
    const journal = SqliteJournal.open(join(dir.path, 'journal.db'));
    const before = SqliteJournal.open(join(dir.path, 'old.db'));
    const all = { after: 0, limit: 10 };
    assert.deepEqual((await journal.readAll(all)).slice(0, 4), await before.readAll(all));
    assert.deepEqual(await journal.runs({ limit: 5 }), await before.runs({ limit: 5 }));
    await Promise.all([journal.close(), before.close()]);
    const owner = await openTestOwner(dir.path);
    assert.equal((await owner.run('a000000000' as RunId)).task, TASK);
    await owner.close('the test is over');
  });

  test('is done as a whole or not at all', async () => {
    await using dir = await tempDir();
    await homeWithRuns(dir.path);
    const file = join(dir.path, 'file');
    const options = optionsOf(dir.path);
    await exportToFile(options, file);
    const text = await readFile(file, 'utf8');
    const schema = cluster.newSchema();
    const db = cluster.url(schema);
    await using empty = await tempDir();
    for (const [why, changed] of [
      ['cut off', text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
      ['changed', text.replace('"one"', '"two"')],
    ]) {
      await writeFile(file, changed ?? '');
      const damaged = refused('store.damaged', /Nothing was imported/);
      await assert.rejects(importFromFile(options, { db }, file), damaged, why);
      await assert.rejects(importFromFile(optionsOf(empty.path), {}, file), damaged, why);
      assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.events`), '0');
    }
    await writeFile(file, text);
    assert.equal((await importFromFile(optionsOf(empty.path), {}, file)).facts, 4);
    assert.equal((await importFromFile(options, { db }, file)).facts, 4);
    const again = importFromFile(optionsOf(empty.path), {}, file);
    await assert.rejects(again, refused('store.not-empty'));
    const other = await tempDir();
    const taken = importFromFile(
      optionsOf(other.path),
      { db: cluster.url(schema) },
      join(dir.path, 'none'),
    );
    await assert.rejects(taken, refused('usage.invalid'));
    await other[Symbol.asyncDispose]();
  });

  test('that was cut off after the facts were there is completed by the same command', async () => {
    await using dir = await tempDir();
    await homeWithRuns(dir.path);
    const file = join(dir.path, 'file');
    const options = optionsOf(dir.path);
    const victim = join(dir.path, 'victim');
    await writeFile(victim, 'mine');
    await symlink(victim, `${file}.part`);
    await exportToFile(options, file);
    assert.equal(await readFile(victim, 'utf8'), 'mine');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const db = cluster.url();
    await importFromFile(options, { db }, file);
    await using stranger = await tempDir();
    const foreign = importFromFile(optionsOf(stranger.path), { db }, file);
    await assert.rejects(foreign, refused('store.other-home'));
    // The process died before it wrote down that the home has a database.
    await rename(options.home.database, movePath(options.home));
    assert.equal((await importFromFile(options, { db }, file)).facts, 4);
    const owner = await openTestOwner(dir.path);
    assert.equal((await owner.engine.list({ limit: 5 })).length, 2);
    await owner.close('the test goes on');
    const changed = importFromFile(options, {}, file);
    await assert.rejects(changed, refused('store.not-empty'));
    assert.equal(existsSync(movePath(options.home)), false);
    await (await openTestOwner(dir.path)).close('it still has its database');
  });

  test('is refused while an owner runs, with a file that is older, and onto a file that exists', async () => {
    await using dir = await tempDir();
    await homeWithRuns(dir.path);
    const file = join(dir.path, 'file');
    const options = optionsOf(dir.path);
    await exportToFile(options, file);
    const journal = SqliteJournal.open(join(dir.path, 'journal.db'));
    await journal.append(RUN, 3, [begun('two')], at(4));
    await journal.close();
    const db = cluster.url();
    const older = importFromFile(options, { db }, file);
    await assert.rejects(older, refused('store.other-journal', /would lose/));
    await assert.rejects(exportToFile(options, file), refused('usage.invalid', /exists/));
    const owner = await openTestOwner(dir.path);
    const running = refused('owner.already-running');
    await assert.rejects(exportToFile(options, join(dir.path, 'other')), running);
    await assert.rejects(importFromFile(options, { db }, file), running);
    await owner.close('the test is over');
  });
});
