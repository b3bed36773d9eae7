/** The command with a home whose journal is in PostgreSQL, as a person types it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DoctorDocument, JournalCopyDocument } from '../../src/public-json/machine-documents.ts';
import { eventually } from '../support/eventually.ts';
import { PostgresCluster, skipWithoutPostgres } from '../support/postgres-cluster.ts';
import { CliHarness } from './cli-process-harness.ts';
import type { ShellResult } from './shell.ts';

const RUN = ['run', 'write', '--agent', 'scripted'];

describe('a home with a database', { skip: skipWithoutPostgres, timeout: 600_000 }, () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await PostgresCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  test('is used by every later command, survives kill -9, and doctor checks it', async () => {
    await using harness = await CliHarness.create();
    const schema = cluster.newSchema();
    const up = await harness.run(['up', '--detach', '--db', cluster.url(schema)]);
    assert.equal(up.code, 0, up.stderr);
    assert.equal((await harness.run(RUN)).code, 0);
    await harness.killOwner();
    assert.deepEqual(
      (await harness.runs('--all')).map(({ state }) => state),
      ['unverified'],
    );
    assert.equal(existsSync(harness.home.journal), false);
    assert.equal(cluster.sql(`SELECT count(*) FROM ${schema}.workflow`), '1');
    const { stdout } = await harness.run(['doctor', '--json']);
    const { findings } = DoctorDocument.parse(JSON.parse(stdout));
    const found = findings.find(({ id }) => id === 'journal');
    assert.match(found?.found ?? '', /facts, all intact, in the database postgres/);
    assert.match(found?.note ?? '', /its owner is pid \d+ on /);
    const again = await harness.run(['up', '--detach', '--db', cluster.url()]);
    assert.deepEqual([again.code, /its journal is not in the/.test(again.stderr)], [1, true]);
  });

  test('is refused with a password, an unknown server and another owner, each in words', async () => {
    await using harness = await CliHarness.create();
    await using other = await CliHarness.create();
    const url = cluster.url();
    const cases: readonly (readonly [args: readonly string[], code: number, says: RegExp])[] = [
      [['--db', 'postgres://me:s3cret@x/y'], 2, /has a password in it/],
      [['--db', 'mysql://x/y'], 2, /not a URL of PostgreSQL/],
      [['--db', 'postgres://me@/x?host=/nowhere'], 1, /cannot be used: .*ENOENT/],
      [['--install', '--db', url], 2, /take no --db/],
    ];
    for (const [args, code, says] of cases) {
      const { code: ended, stderr, stdout } = await harness.run(['up', '--detach', ...args]);
      assert.deepEqual([ended, says.test(stderr), stdout], [code, true, ''], stderr);
      assert.ok(!stderr.includes('s3cret'), stderr);
    }
    assert.equal(existsSync(harness.home.database), false);
    assert.equal((await harness.run(['up', '--detach', '--db', url])).code, 0);
    const second = await other.run(['up', '--detach', '--db', url]);
    assert.deepEqual([second.code, /Another process owns the/.test(second.stderr)], [1, true]);
  });

  test('finds a password in the environment and in a file, and says where it looked for one', async () => {
    await using harness = await CliHarness.create();
    cluster.sql(`CREATE ROLE ada LOGIN PASSWORD 'sesam'; GRANT CREATE ON DATABASE postgres TO ada`);
    cluster.sql(`COPY (SELECT 'local all ada scram-sha-256' UNION ALL SELECT 'local all all trust')
      TO '${cluster.sql('SHOW hba_file')}'; SELECT pg_reload_conf()`);
    const url = cluster.url().replace('supervisor@', 'ada@');
    const up = (env: NodeJS.ProcessEnv): Promise<ShellResult> =>
      harness.run(['up', '--detach', '--db', url], { env });
    let refused: ShellResult | undefined;
    await eventually('the server has read its file', async () => {
      refused = await up({ PGPASSFILE: '/nowhere' });
      if (refused.code === 0) await harness.run(['down']);
      return refused.code !== 0;
    });
    assert.match(refused?.stderr ?? '', /asks for a password, and none was found in ~\/\.pgpass/);
    const wrong = await up({ PGPASSWORD: 'open' });
    assert.deepEqual([wrong.code, /password authentication failed/.test(wrong.stderr)], [1, true]);
    assert.equal((await up({ PGPASSWORD: 'sesam' })).code, 0);
    await harness.run(['down']);
    const file = join(harness.dir, 'passwords');
    await writeFile(file, `*:*:*:ada:sesam\n`, { mode: 0o600 });
    assert.equal((await harness.run(['status'], { env: { PGPASSFILE: file } })).code, 0);
  });

  test('gets the journal of its file with export and import', async () => {
    await using harness = await CliHarness.create();
    assert.equal((await harness.run(RUN)).code, 0);
    const file = join(harness.project, 'runs.jsonl');
    const running = await harness.run(['journal', 'export', 'runs.jsonl']);
    assert.deepEqual([running.code, /Another process owns/.test(running.stderr)], [1, true]);
    await harness.run(['down']);
    const exported = await harness.json(JournalCopyDocument, ['journal', 'export', 'runs.jsonl']);
    assert.deepEqual([exported.file, exported.journal], [file, harness.home.journal]);
    const url = cluster.url();
    const refused = await harness.run(['up', '--detach', '--db', url]);
    assert.deepEqual([refused.code, /is in .*journal\.db, not in/.test(refused.stderr)], [1, true]);
    const imported = await harness.run(['journal', 'import', 'runs.jsonl', '--db', url]);
    assert.match(
      imported.stdout,
      /^Imported \d+ events\. The journal of this home is in the database/,
    );
    assert.equal((await harness.runs('--all')).length, 1);
    assert.equal((await harness.run(RUN)).code, 0);
    assert.match(await readFile(harness.home.database, 'utf8'), /"url": "postgres:/);
  });
});
