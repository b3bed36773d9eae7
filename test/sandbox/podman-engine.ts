/** Podman for the tests, with its own store and image, which are removed with it. Only for root. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { which } from '../../src/host/process/which.ts';
import { groupArgs } from '../../src/sandbox/group-args.ts';
import { importImage, makeRootfs } from './image.ts';
import { isRoot } from './ordinary-user.ts';

export type TestPodman = Disposable & {
  /** The environment that podman needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly image: string;
  /** The names of all containers, running or not. */
  readonly containers: () => readonly string[];
};

const RUNC = '/usr/sbin/runc';
const bounded = { timeout: 60_000 };

/** Why there is none here; false if nothing is missing. */
export function noPodman(): string | false {
  const system = { PATH: '/usr/bin:/usr/sbin' };
  const isHere = isRoot && ['podman', 'runc'].every((name) => which(name, system) !== undefined);
  return isHere ? false : 'podman with runc is not here, or we are not root';
}

export function podmanEngine(): TestPodman {
  using stack = new DisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'supervisor-podman-'));
  const [root, run] = [join(folder, 'root'), join(folder, 'run')];
  const env = {
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  };
  const podman = [
    'podman',
    ...groupArgs('--root', root, '--runroot', run, '--storage-driver', 'vfs'),
  ] as const;
  const runPodman = (...words: readonly string[]): string =>
    spawnSync(podman[0], [...podman.slice(1), ...words], {
      ...bounded,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }).stdout;
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(
    env.CONTAINERS_CONF,
    `[engine]\nruntime = "runc"\n[engine.runtimes]\nrunc = ["${RUNC}"]\n`,
  );
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "vfs"\ngraphroot = "${root}"\nrunroot = "${run}"\n`,
  );
  stack.defer(() => void runPodman('system', 'reset', '--force'));
  makeRootfs(join(folder, 'image'), process.execPath);
  importImage(podman, join(folder, 'image'), 'supervisor-test:latest');
  const owned = stack.move();
  return {
    env,
    image: 'localhost/supervisor-test:latest',
    containers: () =>
      runPodman('ps', '--all', '--format', '{{.Names}}').split('\n').filter(Boolean),
    [Symbol.dispose]: () => owned.dispose(),
  };
}
