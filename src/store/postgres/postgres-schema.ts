/**
 * The tables of a journal in PostgreSQL. Payloads are `text` and not `jsonb`: `jsonb` refuses the character 0, and
 * does not keep the bytes over which the checksum is. The views read them through `as_json`.
 */
import { crc32 } from 'node:zlib';
import type { Client } from 'pg';
import type { DatabaseAddress } from './database-address.ts';
import { damagedDatabase, unavailable, unknownDatabaseSchema } from './postgres-errors.ts';
import { POSTGRES_VIEWS, VIEW_FUNCTIONS } from './postgres-views.ts';

/** Step n brings a database from version n to version n + 1. Steps are added and never changed. */
export type Migration = (schema: string) => string;

const FIRST: Migration = (schema) => `
  -- The truth. Rows are added and never changed. Texts are compared by their bytes.
  CREATE TABLE ${schema}.events (
    id bigint PRIMARY KEY,
    stream text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    v integer NOT NULL,
    at double precision NOT NULL,
    payload text NOT NULL,
    request text,
    checksum bigint NOT NULL,
    UNIQUE (stream, seq)
  );
  CREATE INDEX events_by_request ON ${schema}.events (request) WHERE request IS NOT NULL;
  -- A projection. The task, which may be long, stays in the event of the submission.
  CREATE TABLE ${schema}.runs (
    submission bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    project text NOT NULL,
    program text NOT NULL,
    parent text,
    submitted_at double precision NOT NULL,
    ended_at double precision,
    view text NOT NULL,
    checksum bigint NOT NULL
  );
  CREATE INDEX runs_by_project ON ${schema}.runs (project);
  CREATE INDEX open_runs ON ${schema}.runs (submission) WHERE ended_at IS NULL;
  -- A cache: the newest state of each fold.
  CREATE TABLE ${schema}.snapshots (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream text COLLATE "C" NOT NULL,
    maker text NOT NULL,
    seq bigint NOT NULL,
    state text NOT NULL,
    checksum bigint NOT NULL,
    UNIQUE (stream, maker)
  );
  -- Who may write. Each append checks the epoch.
  CREATE TABLE ${schema}.owner (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    epoch bigint NOT NULL,
    owner_id text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    home text NOT NULL,
    started_at double precision NOT NULL
  );`;

/** Null: the owner was of a release that did not write it. */
const HOME_OF_OWNER: Migration = (schema) => `ALTER TABLE ${schema}.owner ADD COLUMN home_id text`;

export const MIGRATIONS: readonly Migration[] = [FIRST, HOME_OF_OWNER];
export const DATABASE_VERSION = MIGRATIONS.length;

/** `jsonb`, identity columns and lookbehind exist since then, and this is what the tests start. */
const SERVER_LEAST = 130_000;

/** Refuses a server that cannot keep what the journal promises. */
export async function checkServer(client: Client, { text }: DatabaseAddress): Promise<void> {
  const { rows } = await client.query<{
    version: number;
    encoding: string;
    commits: string;
    standby: boolean;
  }>(`SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding,
    current_setting('synchronous_commit') AS commits,
    pg_is_in_recovery() AS standby`);
  const [found] = rows;
  if (found === undefined) throw unavailable(text, 'it does not say its version');
  if (found.version < SERVER_LEAST)
    throw unavailable(
      text,
      `its server has version ${Math.floor(found.version / 10_000)}, and 13 is the oldest that works`,
    );
  if (found.encoding !== 'UTF8')
    throw unavailable(text, `its encoding is ${found.encoding}, and the journal needs UTF8`);
  if (found.standby) throw unavailable(text, 'its server is a standby, which only reads');
  // A commit that is acknowledged before it is on the disk would be lost with the power.
  if (found.commits === 'off') await client.query('SET synchronous_commit = on');
}

/** The version of the tables. 0: there are none. Refuses a schema with tables of another program. */
export async function findVersion(client: Client, address: DatabaseAddress): Promise<number> {
  const { schema, text } = address;
  const { rows } = await client.query<{ known: boolean; tables: number }>(
    `SELECT to_regclass($1) IS NOT NULL AS known,
      (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($2))::int AS tables`,
    [`${schema}.journal`, schema],
  );
  const [found] = rows;
  if (found?.known !== true) {
    if ((found?.tables ?? 0) > 0)
      throw damagedDatabase(text, `its schema ${schema} has tables of another program`);
    return 0;
  }
  const versions = await client.query<{ version: number }>(`SELECT version FROM ${schema}.journal`);
  return versions.rows[0]?.version ?? 0;
}

/** Creates the tables, or brings them up to date in one transaction. Refuses a newer version. */
export async function migrate(
  client: Client,
  address: DatabaseAddress,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const { schema, text } = address;
  const version = await findVersion(client, address);
  if (version > migrations.length) throw unknownDatabaseSchema(text, version, migrations.length);
  const functions = VIEW_FUNCTIONS(schema);
  const views = Object.entries(POSTGRES_VIEWS(schema));
  const digest = crc32([functions, ...views.flat()].join('\n'));
  if (version === migrations.length) {
    const { rows } = await client.query<{ views: number }>(`SELECT views FROM ${schema}.journal`);
    if (rows[0]?.views === digest) return;
  }
  await client.query('BEGIN');
  try {
    if (version === 0) await createSchema(client, schema);
    if (version === 0)
      await client.query(`CREATE TABLE ${schema}.journal (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        version integer NOT NULL,
        views bigint NOT NULL
      )`);
    // A view may use a column that a step changes, so the views go first. They hold nothing.
    for (const [name] of views.toReversed())
      await client.query(`DROP VIEW IF EXISTS ${schema}.${name}`);
    for (const step of migrations.slice(version)) await client.query(step(schema));
    await client.query(functions);
    for (const [, sql] of views) await client.query(sql);
    await client.query(
      `INSERT INTO ${schema}.journal (version, views) VALUES ($1, $2)
       ON CONFLICT (one) DO UPDATE SET version = excluded.version, views = excluded.views`,
      [migrations.length, digest],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection may be lost
    throw error;
  }
}

/** An administrator may have made it, for a user that may not make one. */
async function createSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    'SELECT to_regnamespace($1) IS NOT NULL AS found',
    [schema],
  );
  if (rows[0]?.found !== true) await client.query(`CREATE SCHEMA ${schema}`);
}
