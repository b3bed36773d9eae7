/** Where a setup runs: a fresh copy of the project, an empty home, and access to package registries only. */
import { join } from 'node:path';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { chownTree } from '../host/files/tree/chown-tree.ts';
import { makeFolder } from '../host/files/tree/write-tree.ts';
import type { Backend, SandboxPolicy } from '../sandbox/policy.ts';
import { configuredPolicy, GATEWAY_PORT, HOME_INSIDE, PATH_INSIDE } from '../sandbox/policy.ts';
import type { SandboxPorts } from '../sandbox/run-sandboxed.ts';
import { runSandboxed } from '../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../sandbox/sandbox-user.ts';
import { checkOut } from '../workspace/create-workspace.ts';
import type { ShadowRepo } from '../workspace/shadow-repo.ts';
import type { WorkspaceRecord } from '../workspace/workspace.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { commandAccess } from '../execution/environments/installation.ts';
import type { GrantedTo } from '../execution/environments/prepare-tree.ts';
import type { RegistryProxy } from './registry-proxy.ts';
import { openRegistryProxy } from './registry-proxy.ts';

import { PROJECT_INSIDE } from '../attempts/gates/setup-outcome.ts';
import type { SetupInput } from '../protocol/contracts/setup-contract.ts';

export type SetupEnvironment = AsyncDisposable & {
  readonly tree: string;
  readonly policy: SandboxPolicy;
  readonly sandboxPorts: SandboxPorts;
  readonly seen: RegistryProxy['seen'];
};

type SetupSpec = {
  readonly input: SetupInput;
  readonly backend: Backend;
  readonly granted: GrantedTo;
  readonly record: Pick<WorkspaceRecord, 'base' | 'inside' | 'repositories'>;
  readonly repo: ShadowRepo;
  /** Names the sandbox and its processes. */
  readonly id: string;
  readonly tag: string;
};

/** `partial` is an empty folder that belongs to us. */
export async function setupEnvironment(
  partial: string,
  spec: SetupSpec,
  ports: ExecutionHost,
): Promise<SetupEnvironment> {
  const { input, backend, record, repo, id, tag } = spec;
  const [tree, home] = [join(partial, 'tree'), join(partial, 'home')];
  for (const folder of [tree, home]) await ensurePrivateDir(folder);
  await checkOut(repo, record.base, tree);
  for (const path of record.repositories) await makeFolder(tree, path);
  const facts = ports.facts();
  const homeInside = backend === 'seatbelt' ? home : HOME_INSIDE;
  const proxy = await openRegistryProxy(input.network, { home, homeInside }, { ...ports, tag });
  const user = sandboxUser(id, facts);
  await chownTree(tree, user);
  await chownTree(home, user);
  const { clock, random, userDir, stateDir } = ports;
  const usesHostPaths = backend === 'seatbelt';
  const projectInside = usesHostPaths ? tree : PROJECT_INSIDE;
  const policy: SandboxPolicy = {
    ...setupPolicy(spec, ports),
    write: usesHostPaths ? [tree] : [],
    mounts: [
      ...input.sandbox.mounts,
      ...(usesHostPaths ? [] : [{ from: tree, to: projectInside, mode: 'rw' } as const]),
    ],
    home,
    cwd: join(projectInside, record.inside),
    network:
      proxy.socket === null
        ? { kind: 'none' }
        : { kind: 'allowlist', socket: proxy.socket, port: GATEWAY_PORT },
  };
  const protectedPaths = { userDir, stateDir, shared: [tree, home] };
  return {
    tree,
    policy: { ...policy, env: { ...policy.env, ...proxy.env } },
    sandboxPorts: { clock, random, facts, backend, user, protectedPaths },
    seen: proxy.seen,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** Programs that report their version at once and offline. `yarn` and `pnpm` may be shims that download themselves. */
const PROGRAMS = 'node npm python3 pip3 uv poetry cargo rustc ruby bundle composer';
const VERSIONS = [
  'uname -sm',
  'grep -E "^(ID|VERSION_ID)=" /etc/os-release 2>/dev/null',
  `for one in ${PROGRAMS}; do command -v $one >/dev/null 2>&1 && echo "$one $($one --version 2>&1 | head -n 1)"; done`,
  'for one in pnpm yarn bun go java php; do at=$(command -v $one) && echo "$one $(readlink -f "$at") $(wc -c <"$at")"; done',
  'true',
].join('; ');
const VERSIONS_MS = 60_000;
const VERSIONS_BYTES_MAX = 4000;

/** The versions of the programs inside, as they report them: another version may need another result. */
export async function versionsInside(
  spec: Pick<SetupSpec, 'input' | 'backend' | 'granted' | 'id' | 'tag'>,
  ports: ExecutionHost,
): Promise<string> {
  const { clock, random, userDir, stateDir } = ports;
  const basePolicy = setupPolicy(spec, ports);
  const policy = { ...basePolicy, limits: { ...basePolicy.limits, timeMs: VERSIONS_MS } };
  let output = '';
  const protectedPaths = { userDir, stateDir };
  await runSandboxed(
    policy,
    { argv: ['sh', '-c', VERSIONS] },
    { clock, random, facts: ports.facts(), backend: spec.backend, protectedPaths },
    {
      tag: spec.tag,
      onStdout: (chunk) => {
        if (output.length < VERSIONS_BYTES_MAX) output += Buffer.from(chunk).toString('utf8');
      },
    },
  );
  return output.slice(0, VERSIONS_BYTES_MAX);
}

/** A setup reads programs, and writes only where `setupEnvironment` lets it. */
function setupPolicy(
  { input, granted, id }: Pick<SetupSpec, 'input' | 'granted' | 'id'>,
  { env }: Pick<ExecutionHost, 'env'>,
): SandboxPolicy {
  const { read, path } = commandAccess(input.command, granted, env);
  return {
    ...configuredPolicy(id, '/tmp', input.sandbox, input.timeoutMs),
    read,
    env: { PATH: [...path, PATH_INSIDE].join(':'), CI: '1', NO_COLOR: '1' },
  };
}
