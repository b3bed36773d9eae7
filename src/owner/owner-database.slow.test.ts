/** Owners that keep their journal in a real PostgreSQL. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { runStream } from '../protocol/streams.ts';
import { eventually } from '../../test/support/eventually.ts';
import { PostgresCluster, skipWithoutPostgres } from '../../test/support/postgres-cluster.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openTestOwner } from '../../test/support/test-owner.ts';
import type { Owner } from './owner.ts';

const SLOW = `agents:\n  - { id: slow, cli: scripted, args: ['4', '200'] }\n`;

type Place = AsyncDisposable & { readonly dir: string; readonly project: string };

async function place(): Promise<Place> {
  const dir = await tempDir();
  const project = join(dir.path, 'a-project');
  await mkdir(project);
  return { dir: dir.path, project, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

async function ended(owner: Owner, run: string): Promise<string | undefined> {
  await eventually('its end', async () => (await owner.run(run as RunId)).outcome !== null);
  return (await owner.run(run as RunId)).outcome?.kind;
}

async function pidOf(owner: Owner, run: RunId): Promise<number> {
  const pids: number[] = [];
  await eventually('its pid', async () => {
    const facts = await owner.journal.readStream(runStream(run), { after: 0, limit: 100 });
    for (const { type, payload } of facts)
      if (type === 'command.noted' && payload.note.kind === 'started' && payload.note.pid !== null)
        pids.push(payload.note.pid);
    return pids.length > 0;
  });
  return pids[0] ?? assert.fail();
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('an owner with a database', { skip: skipWithoutPostgres, timeout: 600_000 }, () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await PostgresCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  test('runs a task, and the next owner of the home finds the database by itself', async () => {
    await using at = await place();
    const schema = cluster.newSchema();
    const owner = await openTestOwner(at.dir, { database: { url: cluster.url(schema) } });
    const { id } = await owner.submit({ task: 'x', project: at.project, agent: 'scripted' });
    assert.equal(await ended(owner, id), 'unverified');
    await owner.close('the test goes on');
    assert.equal(existsSync(join(at.dir, 'journal.db')), false);
    const next = await openTestOwner(at.dir);
    assert.deepEqual(
      (await next.engine.list({ limit: 5 })).map((view) => [view.id, view.outcome?.kind]),
      [[id, 'unverified']],
    );
    await next.close('the test is over');
    const shown = cluster.sql(`SELECT status FROM ${schema}.workflow`);
    assert.equal(shown, 'completed');
  });

  test('is refused in a home that has runs elsewhere, and by name of another database', async () => {
    await using at = await place();
    const first = await openTestOwner(at.dir);
    await first.close('it had no work, so nothing would be lost');
    const url = cluster.url();
    await (await openTestOwner(at.dir, { database: { url } })).close('the test goes on');
    const other = (error: unknown): boolean => isRefusal(error, 'store.other-journal');
    await assert.rejects(openTestOwner(at.dir, { database: { url: cluster.url() } }), other);
    await using worked = await place();
    const owner = await openTestOwner(worked.dir);
    const { id } = await owner.submit({ task: 'x', project: worked.project, agent: 'scripted' });
    await ended(owner, id);
    await owner.close('the test goes on');
    await assert.rejects(openTestOwner(worked.dir, { database: { url: cluster.url() } }), other);
    assert.equal(existsSync(join(worked.dir, 'database.json')), false);
  });

  test('of another home is refused while the first one runs, and takes the runs over only if it is told to', async () => {
    await using one = await place();
    await using other = await place();
    const database = { url: cluster.url() };
    const first = await openTestOwner(one.dir, { database });
    await assert.rejects(openTestOwner(other.dir, { database }), (error) =>
      isRefusal(error, 'store.in-use'),
    );
    const { id } = await first.submit({ task: 'x', project: one.project, agent: 'scripted' });
    assert.equal(await ended(first, id), 'unverified');
    await first.close('the test goes on');
    const otherHome = (error: unknown): boolean =>
      isRefusal(error, 'store.other-home') && error.message.includes(one.dir);
    await assert.rejects(openTestOwner(other.dir, { database }), otherHome);
    assert.equal(existsSync(join(other.dir, 'database.json')), false);
    const taking = { database: { ...database, takesOver: true } };
    const second = await openTestOwner(other.dir, taking);
    assert.equal((await second.run(id as RunId)).outcome?.kind, 'unverified');
    await second.close('the test goes on');
    await (await openTestOwner(other.dir)).close('it needs no word any more');
    await assert.rejects(openTestOwner(one.dir), (error) => isRefusal(error, 'store.other-home'));
  });

  test('ends its agents and closes when another owner has taken the database', async () => {
    await using at = await place();
    const schema = cluster.newSchema();
    const logged: string[] = [];
    const owner = await openTestOwner(at.dir, {
      database: { url: cluster.url(schema) },
      log: (line) => void logged.push(line),
    });
    const request = { task: 'x', project: at.project, agent: 'scripted:never-speaks' };
    const { id } = await owner.submit(request);
    await eventually('the agent', async () => (await owner.run(id as RunId)).attempts === 1);
    const facts = (): string => cluster.sql(`SELECT count(*) FROM ${schema}.events`);
    const held = cluster.session(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'supervisor %';
       SELECT pg_advisory_lock(1400205413, hashtext('${schema}'));
       UPDATE ${schema}.owner SET epoch = epoch + 1, owner_id = 'other', host = 'other.example';`,
    );
    const before = facts();
    const reason = await owner.lifetime.done;
    assert.match(reason, /has another owner \(host other\.example/);
    await owner.close(reason);
    assert.ok(owner.lifetime.gaveUp);
    assert.equal(facts(), before);
    assert.ok(logged.some((line) => line.includes('other.example')));
    await held.end();
    const next = await openTestOwner(at.dir);
    await eventually('attempt 2', async () => (await next.run(id as RunId)).attempts === 2);
    assert.equal((await next.run(id as RunId)).interrupted, 1);
    await next.questions.signal(id as RunId, { kind: 'kill' });
    await ended(next, id);
    await next.close('the test is over');
  });

  test('ends its agents and gives up when the server stays away, and the next owner continues', async () => {
    await using at = await place();
    const waits = { connectMs: 5000, statementMs: 30_000, awayMs: 300 };
    const url = cluster.url();
    const owner = await openTestOwner(at.dir, { database: { url, waits } });
    const request = { task: 'x', project: at.project, agent: 'scripted:never-speaks' };
    const { id } = await owner.submit(request);
    await eventually('the agent', async () => (await owner.run(id as RunId)).attempts === 1);
    const pid = await pidOf(owner, id as RunId);
    await cluster.crash();
    const away = (error: unknown): boolean => isRefusal(error, 'store.unavailable');
    await assert.rejects(owner.questions.signal(id as RunId, { kind: 'pause' }), away);
    const reason = await owner.lifetime.done;
    await owner.close(reason).catch(() => undefined); // its last fact has no place
    assert.ok(owner.lifetime.gaveUp, reason);
    await eventually('the agent is gone', () => !isThere(pid));
    await cluster.resume();
    const next = await openTestOwner(at.dir);
    await eventually('attempt 2', async () => (await next.run(id as RunId)).attempts === 2);
    assert.equal((await next.run(id as RunId)).interrupted, 1);
    await next.questions.signal(id as RunId, { kind: 'kill' });
    await ended(next, id);
    await next.close('the test is over');
  });

  test('continues a run over a crash of the server', async () => {
    await using at = await place();
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(at.dir, 'config.yaml'), SLOW);
    const schema = cluster.newSchema();
    const owner = await openTestOwner(at.dir, { database: { url: cluster.url(schema) } });
    const { id } = await owner.submit({ task: 'x', project: at.project, agent: 'slow' });
    await eventually('the agent', async () => (await owner.run(id as RunId)).attempts === 1);
    await cluster.crash();
    await cluster.resume();
    assert.equal(await ended(owner, id), 'unverified');
    assert.equal((await owner.run(id as RunId)).attempts, 1);
    assert.deepEqual(owner.view().defects, []);
    const gaps = cluster.sql(`SELECT count(*) FROM (SELECT stream FROM ${schema}.events
      GROUP BY stream HAVING max(seq) <> count(*)) AS gap`);
    assert.equal(gaps, '0');
    await owner.close('the test is over');
  });
});
