import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { begun, ended, noted, submitted } from '../../testing/conformance/journal-events.ts';
import { journalConformance } from '../../testing/conformance/journal-conformance.ts';
import type { JournalUnderTest } from '../../testing/conformance/journal-under-test.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  ownerFacts,
  PATIENT,
  PostgresCluster,
  skipWithoutPostgres,
} from '../../../test/support/postgres-cluster.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { homeAt } from '../../host/machine/state-home.ts';
import { followEvents } from '../follow.ts';
import { checkDatabase } from './check-database.ts';
import { databaseAddress } from './database-address.ts';
import { recordDatabase } from './home-database.ts';
import { PostgresJournal } from './postgres-journal.ts';
import { PostgresReader } from './postgres-reader.ts';
import { DATABASE_VERSION, MIGRATIONS } from './postgres-schema.ts';

const RUN = runStream('a000000000');
const ALL = { after: 0, limit: 1000 };

describe('the journal in PostgreSQL', { skip: skipWithoutPostgres }, () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await PostgresCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  const open = (schema: string, more: object = {}): Promise<PostgresJournal> =>
    PostgresJournal.open({
      ...{ address: cluster.address(schema), owner: ownerFacts(), waits: PATIENT },
      ...more,
    });

  journalConformance('postgres', async (): Promise<JournalUnderTest> => {
    const schema = cluster.newSchema();
    let journal = await open(schema);
    return {
      journal,
      async reopen() {
        await journal.close();
        journal = await open(schema);
        return journal;
      },
      fill: (full) => cluster.fill(schema, full),
      dispose: () => journal.close(),
    };
  });

  test('texts that PostgreSQL has no place for come back as they were, and the views show them', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    const task = 'zero \0, half \ud800, written \\u0000, two \0\0, emoji 😀';
    const number = 2 ** 53 - 1;
    const times = [0, 0.1, -1.5, 1e21, Number.MAX_SAFE_INTEGER];
    await journal.append(RUN, 0, [submitted('/zero\0', task)], at(1));
    for (const [seq, time] of times.entries())
      await journal.append(RUN, seq + 1, [noted('one', String(number))], at(time));
    const stored = await journal.readStream(RUN, ALL);
    assert.equal(payloadOf(stored[0])['task'], task);
    assert.deepEqual(
      stored.slice(1).map((event) => event.at),
      times,
    );
    assert.deepEqual(await journal.run('a000000000'), (await journal.runs({ limit: 1 }))[0]);
    assert.equal((await journal.runs({ project: '/zero\0', limit: 1 })).length, 1);
    const shown = cluster.sql(`SELECT payload ->> 'task' FROM ${schema}.facts WHERE seq = 1`);
    assert.equal(shown, 'zero \uFFFD, half \uFFFD, written \\u0000, two \uFFFD\uFFFD, emoji 😀');
    assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.workflow_events`), '1');
    await journal.close();
  });

  test('a second owner is refused, and is told which process has the database since when', async () => {
    const schema = cluster.newSchema();
    const owner = ownerFacts({ host: 'first.example', pid: 4711 });
    const first = await open(schema, { owner });
    await assert.rejects(open(schema), (error) => {
      assert.ok(isRefusal(error, 'store.in-use'));
      assert.match(error.message, /host first\.example, pid 4711, since 2023-11-14/);
      return error.data.details?.['host'] === 'first.example';
    });
    await first.append(RUN, 0, [submitted()], at(1));
    await first.close();
    const second = await open(schema);
    assert.equal(await second.lastId(), 1);
    await second.close();
  });

  test('an owner that lost its lock without noticing cannot write', async () => {
    const schema = cluster.newSchema();
    const first = await open(schema);
    await first.append(RUN, 0, [submitted()], at(1));
    // Another owner took the database while this one was stopped: its lock is gone, and the epoch is another.
    cluster.sql(
      `UPDATE ${schema}.owner SET epoch = epoch + 1, owner_id = 'other', host = 'other.example'`,
    );
    const append = first.append(RUN, 1, [begun('one')], at(2));
    await assert.rejects(
      append,
      (error) => isRefusal(error, 'owner.superseded') && /other\.example/.test(error.message),
    );
    assert.ok(isRefusal(first.lost, 'owner.superseded'));
    const snapshot = first.saveSnapshot(RUN, { maker: 'fold@1', seq: 1, state: 1 });
    await assert.rejects(snapshot, (error) => isRefusal(error, 'owner.superseded'));
    assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.events`), '1');
    assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.snapshots`), '0');
    await first.close();
  });

  test('an owner whose connections are cut continues, with nothing lost and nothing twice', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'supervisor %'`;
    for (let seq = 0; seq < 20; seq += 1) {
      const appended = journal.append(RUN, seq, [begun(`run-${seq}`)], at(seq));
      if (seq % 5 === 2) cluster.sql(cut);
      await appended;
    }
    const events = await journal.readStream(RUN, ALL);
    assert.deepEqual(
      events.map(({ seq, at: time }) => [seq, time]),
      Array.from({ length: 20 }, (_, index) => [index + 1, index]),
    );
    assert.equal(journal.lost, undefined);
    await journal.close();
  });

  test('an append that was committed without an answer is found, and not written again', async () => {
    const schema = cluster.newSchema();
    await using proxy = await cuttingProxy(cluster.socket);
    const url = cluster.url(schema).replace(/host=[^&]*/, `host=${proxy.folder}`);
    const journal = await open(schema, { address: databaseAddress(url) });
    await journal.append(RUN, 0, [submitted()], at(1));
    proxy.cutNextAnswer();
    const [stored] = await journal.append(RUN, 1, [begun('one')], at(2));
    assert.deepEqual([stored?.seq, proxy.cuts], [2, 1]);
    await journal.append(RUN, 2, [ended('one')], at(3));
    assert.equal(cluster.sql(`SELECT string_agg(seq::text, ' ') FROM ${schema}.events`), '1 2 3');
    await journal.close();
  });

  test('an append that was ended on its way is written once the server lets it', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    await journal.append(RUN, 0, [submitted()], at(1));
    cluster.sql(`CREATE FUNCTION ${schema}.cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON ${schema}.events
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.cut()`);
    const appended = journal.append(RUN, 1, [begun('one')], at(2));
    await eventually(
      'the owner settles',
      () => Number(cluster.sql(`SELECT epoch FROM ${schema}.owner`)) > 1,
    );
    cluster.sql(`DROP TRIGGER cut ON ${schema}.events`);
    await appended;
    assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.events`), '2');
    await journal.close();
  });

  test('a stuck statement is refused with a text, nothing is written, and the journal works on', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema, { waits: { ...PATIENT, statementMs: 200 } });
    await journal.append(RUN, 0, [submitted()], at(1));
    const release = holdLock(cluster, schema);
    await eventually(
      'the table is locked',
      () =>
        cluster.sql(`SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'
        AND relation = '${schema}.runs'::regclass`) === '1',
    );
    await assert.rejects(
      journal.append(RUN, 1, [begun('one')], at(2)),
      (error) => isRefusal(error, 'store.unavailable') && /canceled/.test(error.message),
    );
    await release();
    await journal.append(RUN, 1, [begun('one')], at(3));
    assert.equal(await journal.lastSeq(RUN), 2);
    await journal.close();
  });

  test('a reader follows what the owner commits, also after its connection was lost', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    await journal.append(RUN, 0, [submitted()], at(1));
    const reader = await PostgresReader.open(cluster.address(schema), PATIENT, 100);
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const { id } of followEvents(reader, { after: 0 }, stop.signal)) seen.push(id);
    })();
    await eventually('fact 1 is seen', () => seen.length === 1);
    await journal.append(RUN, 1, [begun('one')], at(2));
    await eventually('fact 2 is seen', () => seen.length === 2);
    cluster.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name IN ('supervisor follows', 'supervisor reads')`);
    await journal.append(RUN, 2, [ended('one')], at(3));
    await eventually('fact 3 is seen', () => seen.length === 3);
    stop.abort();
    await following;
    assert.deepEqual(seen, [1, 2, 3]);
    await Promise.all([reader.close(), journal.close()]);
  });

  test('an older database is brought up to date in one transaction, and a newer one is refused', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    await journal.append(RUN, 0, [submitted()], at(1));
    await journal.close();
    const broken = [
      ...MIGRATIONS,
      (): string => `ALTER TABLE ${schema}.events ADD more int; SELECT 1/0`,
    ];
    await assert.rejects(open(schema, { migrations: broken }), /division by zero/);
    const unchanged = await open(schema);
    assert.equal(await unchanged.lastId(), 1);
    await unchanged.close();
    const next = [...MIGRATIONS, (): string => `ALTER TABLE ${schema}.events ADD more int`];
    const migrated = await open(schema, { migrations: next });
    await migrated.append(RUN, 1, [begun('one')], at(2));
    await migrated.close();
    const reading = (): Promise<unknown> => PostgresReader.open(cluster.address(schema), PATIENT);
    for (const refused of [() => open(schema), reading])
      await assert.rejects(refused, (error) => {
        assert.ok(isRefusal(error, 'store.unknown-version'));
        return error.data.details?.['found'] === DATABASE_VERSION + 1;
      });
  });

  test('a schema of another program is left alone, and a wrong address says what is wrong', async () => {
    cluster.sql('CREATE SCHEMA foreign_one; CREATE TABLE foreign_one.events (id int)');
    await assert.rejects(open('foreign_one'), (error) => isRefusal(error, 'store.damaged'));
    const wrong = cluster.address('x');
    for (const [url, words] of [
      [wrong.url.replace('/postgres?', '/nothing?'), /database "nothing" does not exist/],
      [wrong.url.replace('supervisor@', 'nobody:s3cret@'), /role "nobody" does not exist/],
      [wrong.url.replace(/host=[^&]*/, 'host=/nowhere'), /ENOENT/],
    ] as const)
      await assert.rejects(open('x', { address: { ...wrong, url } }), (error) => {
        assert.ok(isRefusal(error, 'store.unavailable'), String(error));
        assert.match(error.message, words);
        return !JSON.stringify(error.data).includes('s3cret');
      });
  });

  test('a fact that was changed by hand is refused, and stops only its own run', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    await journal.append(RUN, 0, [submitted()], at(1));
    await journal.append(runStream('b000000000'), 0, [submitted('/other')], at(2));
    cluster.sql(
      `UPDATE ${schema}.events SET payload = replace(payload, 'do it', 'do that') WHERE id = 1`,
    );
    const damaged = (error: unknown): boolean => isRefusal(error, 'store.damaged');
    await assert.rejects(journal.readStream(RUN, ALL), damaged);
    const read = await journal.readAll({ ...ALL, skipsDamaged: true });
    assert.deepEqual(
      read.map(({ id }: StoredEvent) => id),
      [2],
    );
    assert.equal((await journal.runs({ limit: 5 })).length, 1);
    assert.deepEqual(
      journal.damages().map(({ stream }) => stream),
      [RUN],
    );
    await journal.close();
  });

  test('a check of the whole journal names what is damaged, and which process has the database', async () => {
    const schema = cluster.newSchema();
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    assert.equal(await checkDatabase(home), undefined);
    await recordDatabase(home, { address: cluster.address(schema), homeId: 'home-1' });
    const absent = await checkDatabase(home);
    assert.ok(absent?.journal.kind === 'checked' && absent.journal.problems.length === 1);
    const journal = await open(schema, { owner: ownerFacts({ host: 'build-1', pid: 4711 }) });
    await journal.append(RUN, 0, [submitted(), begun('one'), ended('one')], at(1));
    const sound = { kind: 'checked', facts: 3, problems: [], runs: [] };
    const running = await checkDatabase(home);
    assert.deepEqual(
      [running?.journal, running?.owner?.host, running?.owner?.pid],
      [sound, 'build-1', 4711],
    );
    await journal.close();
    assert.deepEqual((await checkDatabase(home))?.owner, null);
    cluster.sql(`DELETE FROM ${schema}.events WHERE seq = 2`);
    assert.deepEqual((await checkDatabase(home))?.journal, {
      ...{ kind: 'checked', facts: 2, problems: [] },
      runs: [{ run: 'a000000000', what: 'fact 2 is missing' }],
    });
  });

  test('the server is restarted: what was asked waits, and is done', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema);
    await journal.append(RUN, 0, [submitted()], at(1));
    await cluster.crash();
    const appended = journal.append(RUN, 1, [begun('one')], at(2));
    const read = journal.readStream(RUN, ALL);
    await cluster.resume();
    await Promise.all([appended, read]);
    assert.deepEqual([await journal.lastSeq(RUN), journal.lost], [2, undefined]);
    await journal.close();
  });

  test('a server that stays away is refused after the bound', async () => {
    const schema = cluster.newSchema();
    const journal = await open(schema, { waits: { ...PATIENT, awayMs: 100 } });
    await cluster.crash();
    const unavailable = (error: unknown): boolean => isRefusal(error, 'store.unavailable');
    await assert.rejects(journal.append(RUN, 0, [submitted()], at(1)), unavailable);
    await assert.rejects(journal.readAll(ALL), unavailable);
    await cluster.resume();
    await journal.append(RUN, 0, [submitted()], at(2));
    assert.equal(await journal.lastId(), 1);
    await journal.close();
  });
});

function payloadOf(event: StoredEvent | undefined): Readonly<Record<string, unknown>> {
  assert.ok(event !== undefined);
  return event.payload;
}

/** Another session holds the table of the runs. Returns what lets it go. */
function holdLock(cluster: PostgresCluster, schema: string): () => Promise<void> {
  const held = cluster.session(`BEGIN; LOCK TABLE ${schema}.runs;`);
  return () => held.end();
}

/** Passes everything on, and can end the connection on which the next answer comes instead of passing that one on. */
async function cuttingProxy(
  socket: string,
): Promise<{ folder: string; cuts: number; cutNextAnswer: () => void } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const sockets = new Set<Socket>();
  let isCutting = false;
  const proxy = {
    folder,
    cuts: 0,
    cutNextAnswer: () => void (isCutting = true),
    async [Symbol.asyncDispose]() {
      for (const one of sockets) one.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
  const server = createServer((client) => {
    const upstream = connect(socket);
    for (const one of [client, upstream]) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (isCutting) {
        isCutting = false;
        proxy.cuts += 1;
        upstream.destroy();
      } else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, basename(socket)), resolve));
  return proxy;
}
