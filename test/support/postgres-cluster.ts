/**
 * A PostgreSQL cluster of one test file, on a socket in a temporary folder, ended with the file. PostgreSQL does not
 * run as root, so it runs as `nobody` there. `fsync` is off: a cluster that is killed keeps what was written.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../../src/store/postgres/database-address.ts';
import { databaseAddress } from '../../src/store/postgres/database-address.ts';
import type { OwnerFacts } from '../../src/store/postgres/owner-guard.ts';
import type { Waits } from '../../src/store/postgres/postgres-session.ts';
import { eventually } from './eventually.ts';

const DEBIAN = '/usr/lib/postgresql';
const NOBODY = 65_534;
const USER = 'supervisor';
const SOCKET_PORT = 5432;

/** The folder of the programs. Undefined: they are not on this machine. */
const bin = findPrograms();

/** For a test that needs PostgreSQL. In CI a missing one is red. */
export const skipWithoutPostgres =
  bin === undefined && process.env['CI'] === undefined ? 'missing: postgresql' : false;

/** A database that goes away is waited for until the test itself is over. */
export const PATIENT: Waits = { connectMs: 5000, statementMs: 30_000, awayMs: 60_000 };

let owners = 0;

export function ownerFacts(more: Partial<OwnerFacts> = {}): OwnerFacts {
  owners += 1;
  return {
    ...{ ownerId: `owner-${process.pid}-${owners}`, host: hostname(), pid: process.pid },
    ...{ home: '/home/test', homeId: 'home-1', startedAt: 1_700_000_000_000 },
    ...more,
  };
}

export class PostgresCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #settings: readonly string[];
  #server: ChildProcess | undefined;
  #schemas = 0;

  private constructor(folder: string, settings: readonly string[]) {
    this.#folder = folder;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<PostgresCluster> {
    if (bin === undefined) throw new Error('postgresql is missing, and CI has to have it');
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    const cluster = new PostgresCluster(folder, settings);
    const options = ['--no-sync', '-A', 'trust', '-U', USER, '-E', 'UTF8', '--locale=C'];
    execFileSync(join(bin, 'initdb'), ['-D', join(folder, 'data'), ...options], asServer());
    await cluster.resume();
    return cluster;
  }

  /** Starts the server again. */
  async resume(): Promise<void> {
    const settings = ['fsync=off', 'listen_addresses=', 'max_connections=60', ...this.#settings];
    const server = spawn(
      join(bin ?? '', 'postgres'),
      [
        ...['-D', join(this.#folder, 'data'), '-k', this.#folder],
        ...settings.flatMap((one) => ['-c', one]),
      ],
      asServer(),
    );
    this.#server = server;
    await eventually('the server answers', () => {
      if (server.exitCode !== null) throw new Error('the PostgreSQL server ended at its start');
      const { status } = spawnSync(join(bin ?? '', 'pg_isready'), ['-h', this.#folder, '-q']);
      return status === 0;
    });
  }

  /** Ends the server as a crash does: sessions are cut, and nothing is written at the end. */
  async crash(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** A URL for a schema that no other test uses, or for the given one. */
  url(schema = this.newSchema()): string {
    return `postgres://${USER}@/postgres?host=${this.#folder}&port=${SOCKET_PORT}&schema=${schema}`;
  }

  newSchema(): string {
    this.#schemas += 1;
    return `test_${this.#schemas}`;
  }

  address(schema?: string): DatabaseAddress {
    return databaseAddress(this.url(schema));
  }

  /** Runs SQL as `psql` does, and returns its output without decoration. */
  sql(text: string): string {
    const options = ['-h', this.#folder, '-U', USER, '-d', 'postgres', '-AtqX'];
    return execFileSync(
      join(bin ?? '', 'psql'),
      [...options, '-v', 'ON_ERROR_STOP=1', '-c', text],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    ).trim();
  }

  /** What the server says when its disk is full, for the tables of a journal. Or frees it again. */
  fill(schema: string, full: boolean): void {
    this.sql(full ? fullDisk(schema) : roomAgain(schema));
  }

  /** A session that runs SQL until it is ended, such as one that holds a lock. */
  session(text: string): { readonly end: () => Promise<void> } {
    const options = ['-h', this.#folder, '-U', USER, '-d', 'postgres', '-X'];
    const psql = spawn(join(bin ?? '', 'psql'), options, { stdio: ['pipe', 'ignore', 'ignore'] });
    psql.stdin.write(`${text}\n`);
    const ended = once(psql, 'exit');
    return {
      async end() {
        psql.kill('SIGKILL');
        await ended;
      },
    };
  }

  get socket(): string {
    return join(this.#folder, `.s.PGSQL.${SOCKET_PORT}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }
}

function fullDisk(schema: string): string {
  const refuse = (
    table: string,
  ): string => `CREATE TRIGGER no_room BEFORE INSERT ON ${schema}.${table}
    EXECUTE FUNCTION ${schema}.refuse();`;
  return `CREATE OR REPLACE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
    END $$; ${refuse('events')} ${refuse('snapshots')}`;
}

function roomAgain(schema: string): string {
  return `DROP TRIGGER no_room ON ${schema}.events; DROP TRIGGER no_room ON ${schema}.snapshots`;
}

function asServer(): { uid?: number; gid?: number; stdio: 'ignore'; cwd: string } {
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return { ...asNobody, stdio: 'ignore', cwd: '/' };
}

function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const folders = versions.toSorted((a, b) => b - a).map((one) => join(DEBIAN, String(one), 'bin'));
  return folders.find((folder) => spawnSync(join(folder, 'initdb'), ['--version']).status === 0);
}
