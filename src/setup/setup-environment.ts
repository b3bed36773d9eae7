/** Where a setup runs: a fresh copy of what the user had, an empty home, and a way to the registries alone. */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { ProxyNetwork } from '../gateway/network/connect-proxy.ts';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { chownTree } from '../host/files/tree/chown-tree.ts';
import { makeFolder } from '../host/files/tree/write-tree.ts';
import type { BackendChoice, BackendRequest } from '../sandbox/choose-backend.ts';
import type { SandboxFacts } from '../sandbox/sandbox-facts.ts';
import type { Backend, SandboxPolicy } from '../sandbox/policy.ts';
import { GATEWAY_PORT, HOME_INSIDE } from '../sandbox/policy.ts';
import type { SandboxPorts } from '../sandbox/run-sandboxed.ts';
import { runSandboxed } from '../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../sandbox/sandbox-user.ts';
import { checkOut } from '../workspace/create-workspace.ts';
import type { ShadowRepo } from '../workspace/shadow-repo.ts';
import type { WorkspaceRecord } from '../workspace/workspace.ts';
import { PATH_INSIDE } from '../execution/environments/agent-policy.ts';
import { findInstallation } from '../execution/environments/installation.ts';
import type { GrantedTo } from '../execution/environments/prepare-tree.ts';
import type { RegistryProxy } from './registry-proxy.ts';
import { openRegistryProxy } from './registry-proxy.ts';
import type { RunWorkspacePorts } from '../execution/environments/run-workspace.ts';
import type { SetupInput } from '../attempts/setup-outcome.ts';
import { PROJECT_INSIDE } from '../attempts/setup-outcome.ts';

/** What everything that runs in a place of ours stands on. */
export type SetupEnvironmentPorts = RunWorkspacePorts & {
  readonly clock: Clock;
  readonly luck: Random;
  readonly socketDir: string;
  readonly homeId: string;
  readonly userDir: string;
  /** What a program may know of our environment, and all of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
  readonly facts: () => SandboxFacts;
  readonly git: string;
  /** Labels a sandbox with home, owner, run and command. */
  readonly placeIdOf: (run: string, key: string) => string;
  readonly tagOf: (run: string, key: string) => string;
  readonly choose: (wish: BackendRequest) => Promise<BackendChoice>;
  readonly network: ProxyNetwork;
};

export type SetupEnvironment = AsyncDisposable & {
  readonly tree: string;
  readonly policy: SandboxPolicy;
  readonly held: SandboxPorts;
  readonly seen: RegistryProxy['seen'];
};

type Wanted = {
  readonly input: SetupInput;
  readonly backend: Backend;
  readonly granted: GrantedTo;
  readonly record: WorkspaceRecord;
  readonly vault: ShadowRepo;
  /** Names the sandbox and its processes. */
  readonly id: string;
  readonly tag: string;
};

/** `partial` is a folder of ours, empty. */
export async function setupEnvironment(
  partial: string,
  wanted: Wanted,
  ports: SetupEnvironmentPorts,
): Promise<SetupEnvironment> {
  const { input, backend, record, vault, id, tag } = wanted;
  const [tree, home] = [join(partial, 'tree'), join(partial, 'home')];
  for (const folder of [tree, home]) await ensurePrivateDir(folder);
  await checkOut(vault, record.base, tree);
  for (const path of record.repositories) await makeFolder(tree, path);
  const facts = ports.facts();
  const homeInside = backend === 'seatbelt' ? home : HOME_INSIDE;
  const way = await openRegistryProxy(input.network, { home, homeInside }, { ...ports, tag });
  const user = sandboxUser(id, facts);
  await chownTree(tree, user);
  await chownTree(home, user);
  const { clock, luck, userDir, stateDir } = ports;
  const atItsPath = backend === 'seatbelt';
  const top = atItsPath ? tree : PROJECT_INSIDE;
  const policy: SandboxPolicy = {
    ...policyOf(wanted, ports),
    write: atItsPath ? [tree] : [],
    mounts: [
      ...input.sandbox.mounts,
      ...(atItsPath ? [] : [{ from: tree, to: top, mode: 'rw' } as const]),
    ],
    home,
    cwd: join(top, record.inside),
    network:
      way.socket === null
        ? { kind: 'none' }
        : { kind: 'allowlist', socket: way.socket, port: GATEWAY_PORT },
  };
  const precious = { userDir, stateDir, shared: [tree, home] };
  return {
    tree,
    policy: { ...policy, env: { ...policy.env, ...way.env } },
    held: { clock, luck, facts, backend, user, precious },
    seen: way.seen,
    [Symbol.asyncDispose]: () => way[Symbol.asyncDispose](),
  };
}

/** Only programs that answer at once and offline; `yarn` and `pnpm` may be shims that would fetch themselves. */
const ASKED = 'node npm python3 pip3 uv poetry cargo rustc ruby bundle composer';
const VERSIONS = [
  'uname -sm',
  'grep -E "^(ID|VERSION_ID)=" /etc/os-release 2>/dev/null',
  `for one in ${ASKED}; do command -v $one >/dev/null 2>&1 && echo "$one $($one --version 2>&1 | head -n 1)"; done`,
  'for one in pnpm yarn bun go java php; do at=$(command -v $one) && echo "$one $(readlink -f "$at") $(wc -c <"$at")"; done',
  'true',
].join('; ');
const VERSIONS_MS = 60_000;
const VERSIONS_BYTES_MAX = 4000;

/** What programs there are inside, as they say themselves: another version may need another result. */
export async function versionsInside(
  wanted: Pick<Wanted, 'input' | 'backend' | 'granted' | 'id' | 'tag'>,
  ports: SetupEnvironmentPorts,
): Promise<string> {
  const { clock, luck, userDir, stateDir } = ports;
  const plain = policyOf(wanted, ports);
  const policy = { ...plain, limits: { ...plain.limits, timeMs: VERSIONS_MS } };
  let said = '';
  const precious = { userDir, stateDir };
  await runSandboxed(
    policy,
    { argv: ['sh', '-c', VERSIONS] },
    { clock, luck, facts: ports.facts(), backend: wanted.backend, precious },
    {
      tag: wanted.tag,
      onStdout: (chunk) => {
        if (said.length < VERSIONS_BYTES_MAX) said += Buffer.from(chunk).toString('utf8');
      },
    },
  );
  return said.slice(0, VERSIONS_BYTES_MAX);
}

function policyOf(
  { input, granted, id }: Pick<Wanted, 'input' | 'granted' | 'id'>,
  { env }: Pick<SetupEnvironmentPorts, 'env'>,
): SandboxPolicy {
  const { memoryBytes, cpus, pids, diskBytes, tmpBytes, image, pull } = input.sandbox;
  const programs = [input.command[0] ?? '', 'npm', 'node'].flatMap(
    (name) => findInstallation(name, env) ?? [],
  );
  const path = [...granted.path, ...programs.flatMap((one) => one.path)];
  return {
    id,
    read: [...new Set([...granted.read, ...programs.flatMap(({ read }) => read)])],
    write: [],
    mounts: [],
    home: null,
    cwd: '/tmp',
    env: { PATH: [...new Set(path), PATH_INSIDE].join(':'), CI: '1', NO_COLOR: '1' },
    network: { kind: 'none' },
    limits: { memoryBytes, cpus, pids, diskBytes, tmpBytes, timeMs: input.timeoutMs },
    image,
    pull,
    unsafe: false,
  };
}
