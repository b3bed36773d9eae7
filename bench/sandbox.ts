/**
 * The cost of a sandbox from start to end, over a bare start of the same program that does nothing.
 * The variants alternate, so that a busy machine slows all of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { systemRandom } from '../src/host/machine/system-random.ts';
import type { SandboxNetwork, SandboxPolicy } from '../src/sandbox/policy.ts';
import { AGENT_LIMITS, GATEWAY_PORT, offlinePolicy } from '../src/sandbox/policy.ts';
import { probeFacts } from '../src/sandbox/probe-facts.ts';
import type { SandboxPorts } from '../src/sandbox/run-sandboxed.ts';
import { runSandboxed } from '../src/sandbox/run-sandboxed.ts';
import { sandboxUser } from '../src/sandbox/sandbox-user.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { dockerEngine } from '../test/sandbox/docker-engine.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

type SandboxFigures = {
  readonly rounds: number;
  readonly rawMedianMs: number;
  /** Over the bare start: namespaces, user, filter and, if available, cgroups. */
  readonly bubblewrapOverheadMs: number;
  /** The same with a connection to a gateway. */
  readonly gatewayOverheadMs: number;
  /** Whether cgroups were used. */
  readonly hasCgroup: boolean;
  /** Over a bare `docker run --rm` of the same image; undefined without an engine. */
  readonly dockerRatio: number | undefined;
  readonly dockerMedianMs: number | undefined;
};

const NO_OP = ['/bin/true'] as const;

export async function figures(): Promise<readonly Figure[]> {
  const sandbox = await measureSandbox(30, 10);
  return [
    {
      name: 'bubblewrap',
      value: sandbox.bubblewrapOverheadMs,
      unit: 'ms',
      yardstick: sandbox.hasCgroup
        ? 'over raw spawn, with cgroups'
        : 'over raw spawn, without cgroups',
    },
    {
      name: 'bubblewrap with a gateway',
      value: sandbox.gatewayOverheadMs,
      unit: 'ms',
      yardstick: 'over raw spawn, median',
      atMost: 60,
    },
    ...(sandbox.dockerRatio === undefined
      ? []
      : [
          {
            name: 'docker',
            value: sandbox.dockerRatio,
            unit: '×',
            yardstick: 'bare docker run of the same image',
            atMost: 1.2,
          },
        ]),
  ];
}

async function measureSandbox(rounds: number, dockerRounds = rounds): Promise<SandboxFigures> {
  await using folder = await tempDir();
  const facts = probeFacts(process.env);
  const user = sandboxUser('bench', facts);
  await chmod(folder.path, 0o711); // as for every user but root: no file has to be made accessible
  if (facts.uid === 0) await chown(folder.path, user.uid, user.gid);
  const socket = join(folder.path, 'gateway.sock');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  await chmod(socket, 0o666);
  const policy = offlinePolicy('bench/1', folder.path, AGENT_LIMITS);
  const network: SandboxNetwork = { kind: 'gateway', socket, port: GATEWAY_PORT };
  const ports = { ...basePorts(), facts, backend: 'bubblewrap', user } as const;

  const raw: number[] = [];
  const plain: number[] = [];
  const gateway: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await timed(() => bare(NO_OP)));
    plain.push(await timed(() => contained(policy, ports)));
    gateway.push(await timed(() => contained({ ...policy, network }, ports)));
  }
  server.close();
  const docker = await measureDocker(dockerRounds, policy);
  const over = (values: readonly number[]): number =>
    median(values.map((ms, round) => ms - (raw[round] ?? 0)));
  return {
    rounds,
    rawMedianMs: median(raw),
    bubblewrapOverheadMs: over(plain),
    gatewayOverheadMs: over(gateway),
    hasCgroup: facts.cgroup.kind !== 'none',
    dockerRatio: docker?.ratio,
    dockerMedianMs: docker?.medianMs,
  };
}

async function measureDocker(
  rounds: number,
  policy: SandboxPolicy,
): Promise<{ ratio: number; medianMs: number } | undefined> {
  await using stack = new AsyncDisposableStack();
  const engine = await dockerEngine((why) => process.stderr.write(`${why}\n`));
  if (engine === undefined) return undefined;
  stack.use(engine);
  const { host, image } = engine;
  const facts = probeFacts({ ...process.env, DOCKER_HOST: host });
  const user = sandboxUser('bench', facts);
  const ports = { ...basePorts(), facts, backend: 'docker', user } as const;
  const run = [
    'docker',
    '--host',
    host,
    'run',
    '--rm',
    '--network',
    'none',
    image,
    ...NO_OP,
  ] as const;
  const raw: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await timed(() => bare(run)));
    ours.push(await timed(() => contained({ ...policy, image }, ports)));
  }
  const ratios = ours.map((ms, round) => ms / (raw[round] ?? NaN));
  return { ratio: median(ratios), medianMs: median(ours) };
}

function basePorts(): Pick<SandboxPorts, 'clock' | 'random' | 'protectedPaths'> {
  return {
    clock: systemClock,
    random: systemRandom,
    protectedPaths: { userDir: '/nonexistent', stateDir: '/nonexistent/.supervisor' },
  };
}

async function contained(policy: SandboxPolicy, ports: SandboxPorts): Promise<void> {
  const { exit } = await runSandboxed(policy, { argv: NO_OP }, ports, {
    tag: `bench-${process.pid}`,
  });
  if (exit.kind !== 'code' || exit.code !== 0)
    throw new Error(`it did not run: ${JSON.stringify(exit)}`);
}

async function bare([file, ...args]: readonly [string, ...string[]]): Promise<void> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
