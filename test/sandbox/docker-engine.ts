/** An engine for the tests: the one that answers, or our own that ends with the tests. */
import { groupArgs } from '../../src/sandbox/group-args.ts';
import { CONTAINER_LABEL } from '../../src/sandbox/backends/wrap-container.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { which } from '../../src/host/process/which.ts';
import { eventually } from '../support/eventually.ts';
import { importImage, makeRootfs } from './image.ts';

export type TestEngine = AsyncDisposable & {
  /** DOCKER_HOST for its clients. */
  readonly host: string;
  readonly image: string;
  /** The users that may access it. */
  readonly group: number;
};

const ENGINE_GRACE_MS = 30_000;
/** A stuck engine never answers. */
const bounded = { timeout: 120_000 };

/** Undefined if there is no engine here and none can be started; the reason is printed. */
export async function dockerEngine(print: (why: string) => void): Promise<TestEngine | undefined> {
  await using stack = new AsyncDisposableStack();
  let host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  if (!answers(host)) {
    if (process.geteuid?.() !== 0 || which('dockerd', { PATH: '/usr/sbin' }) === undefined) {
      print('no engine answers, and none can be started');
      return undefined;
    }
    const folder = mkdtempSync(join(tmpdir(), 'supervisor-dockerd-'));
    chmodSync(folder, 0o711); // the socket's mode decides about access
    host = `unix://${join(folder, 'docker.sock')}`;
    const log = openSync(join(folder, 'log'), 'w');
    const engine = spawn(
      '/usr/sbin/dockerd',
      [
        ...groupArgs('--iptables=false', '--bridge=none', '--host', host),
        ...groupArgs('--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')),
        ...groupArgs('--pidfile', join(folder, 'pid')),
      ],
      { stdio: ['ignore', log, log] },
    );
    const exited = once(engine, 'exit');
    stack.defer(async () => {
      engine.kill('SIGTERM');
      const deaf = setTimeout(() => engine.kill('SIGKILL'), ENGINE_GRACE_MS);
      await exited;
      clearTimeout(deaf);
      spawnSync('umount', ['--recursive', '--lazy', join(folder, 'data')], bounded);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });
    const isUp = await eventually('dockerd answers', () => answers(host), 60_000).then(
      () => true,
      () => false,
    );
    if (!isUp) {
      print('dockerd does not start here');
      return undefined;
    }
  }
  const image = `supervisor-test-${process.pid}:latest`;
  const root = mkdtempSync(join(tmpdir(), 'supervisor-rootfs-'));
  stack.defer(() => rmSync(root, { recursive: true, force: true }));
  makeRootfs(root, process.execPath);
  importImage(['docker', '--host', host], root, image);
  stack.defer(() => void spawnSync('docker', ['--host', host, 'rmi', '--force', image], bounded));
  const owned = stack.move();
  return {
    host,
    image,
    group: statSync(host.replace('unix://', '')).gid,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The containers whose policy belongs to this run, running or not. */
export function containersOf({ host }: Pick<TestEngine, 'host'>, run: string): readonly string[] {
  const format = `{{.Names}} {{.Label "${CONTAINER_LABEL}"}}`;
  const asked = ['--host', host, 'ps', '--all', '--filter', `label=${CONTAINER_LABEL}`];
  const { stdout } = spawnSync('docker', [...asked, '--format', format], {
    ...bounded,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line.includes(run));
}

function answers(host: string): boolean {
  return spawnSync('docker', ['--host', host, 'version'], { timeout: 10_000 }).status === 0;
}
