/**
 * The fixture that probes try to reach: a secret, a folder outside, listeners that count connections, and another
 * process.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { processScopedName } from '../../host/files/process-scoped-name.ts';
import { ProcessGroup } from '../../host/process/process-group.ts';
import type { SandboxUser } from '../sandbox-facts.ts';
import type { Probe } from './probe.ts';

export type ProbeFixture = AsyncDisposable & {
  /** A random value. If it appears anywhere else, something has leaked. */
  readonly secret: string;
  readonly work: string;
  readonly reading: string;
  /** The paths and ports of the fixture, for the probes. The secret itself is not included. */
  readonly env: Readonly<Record<string, string>>;
  /** How many connections have reached a listener. */
  hits(): number;
  /** Whether files that the probes created in their folder belong to root on the host. */
  hasRootFiles(): Promise<boolean>;
};

/** The prefix of the folder that each probe creates and runs in. */
export const MADE_PREFIX = 'at-';
const MEMORY_BYTES = 256_000_000;
const PIDS = 64;
const TMP_BYTES = 16_000_000;

export const FIXTURE_LIMITS = {
  memoryBytes: MEMORY_BYTES,
  cpus: 1,
  pids: PIDS,
  diskBytes: 100_000_000,
  tmpBytes: TMP_BYTES,
  timeMs: 120_000,
};

/** The name prefix of fixture folders. */
export const FIXTURE_PREFIX = 'supervisor-scene-';

export async function createProbeFixture(
  probes: readonly Probe[],
  user: SandboxUser,
  clock: Clock,
  tag: string,
): Promise<ProbeFixture> {
  await using stack = new AsyncDisposableStack();
  const name = randomBytes(8).toString('hex');
  const secret = `canary-secret-${name}`;
  const folder = await mkdtemp(join(tmpdir(), `${processScopedName(FIXTURE_PREFIX, name)}-`));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [out, work] = [join(folder, 'out'), join(folder, 'work')];
  const reading = join(work, 'reading');
  for (const path of [out, work, reading, join(work, 'probes')]) await mkdir(path);
  await writeFile(join(out, 'open'), 'open\n');
  await writeFile(join(out, 'secret'), `${secret}\n`);
  await writeFile(join(folder, 'marker'), '');
  await writeFile(join(reading, 'given'), 'given\n');
  for (const { id, script } of probes) await writeFile(join(work, 'probes', id), `${script}\n`);
  await chmod(join(out, 'open'), 0o666);
  for (const path of [out, work, reading]) await chmod(path, 0o777);
  await chmod(folder, 0o755);
  if (process.geteuid?.() === 0) await chown(work, user.uid, user.gid);

  const listeners = stack.use(await listen(join(out, 'socket'), `supervisor-${name}`));
  const victim = new ProcessGroup(
    {
      argv: ['/bin/sh', '-c', 'while :; do sleep 60; done', secret],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', CANARY: secret },
    },
    { tag: `${tag}/victim`, clock },
  );
  stack.defer(() => victim.kill());
  const owned = stack.move();
  return {
    secret,
    work,
    reading,
    env: {
      P_WORK: work,
      P_READ: reading,
      P_OUT: out,
      P_SECRET: join(out, 'secret'),
      P_TMP_FILE: join(folder, 'marker'),
      P_SOCKET: join(out, 'socket'),
      P_ABSTRACT: `supervisor-${name}`,
      P_PORT: String(listeners.port),
      P_DATAGRAM_PORT: String(listeners.datagramPort),
      P_VICTIM: String(victim.leader?.pid ?? 0),
      P_TMP_BYTES: String(TMP_BYTES),
      P_MEMORY_BYTES: String(MEMORY_BYTES),
      P_PIDS: String(PIDS),
      P_GIVEN: "a b'c",
    },
    hits: () => listeners.hits(),
    async hasRootFiles() {
      const made = (await readdir(work)).filter((entry) => entry.startsWith(MADE_PREFIX));
      const owners = await Promise.all(
        made.map(async (entry) => (await lstat(join(work, entry))).uid),
      );
      return owners.includes(0);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Listeners = AsyncDisposable & {
  readonly port: number;
  readonly datagramPort: number;
  hits(): number;
};

async function listen(socketPath: string, abstractName: string): Promise<Listeners> {
  let hits = 0;
  const count = (): Server =>
    createServer((connection) => {
      hits += 1;
      connection.on('error', () => {}).end();
    });
  const servers: Server[] = [];
  const open = async (where: { host?: string; port?: number; path?: string }): Promise<void> => {
    const server = count();
    try {
      server.listen(where);
      await once(server, 'listening');
      servers.push(server);
    } catch {
      // this address does not exist on this machine, so no probe can reach it
    }
  };
  await open({ host: '127.0.0.1', port: 0 });
  const address = servers[0]?.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  for (const host of ['127.0.0.2', '127.0.0.3', '::1']) await open({ host, port });
  await open({ path: socketPath });
  await chmod(socketPath, 0o777);
  if (process.platform === 'linux') await open({ path: `\0${abstractName}` });
  const datagram = createSocket('udp4', (_message, from) => {
    hits += 1;
    datagram.send('heard', from.port, from.address);
  });
  datagram.bind(0, '127.0.0.1');
  await once(datagram, 'listening');
  return {
    port,
    datagramPort: datagram.address().port,
    hits: () => hits,
    async [Symbol.asyncDispose]() {
      datagram.close();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}
