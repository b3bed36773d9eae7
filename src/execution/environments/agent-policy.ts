/** The sandbox policy of an agent: what it may see and use. */
import { join } from 'node:path';
import type { Invocation } from '../../adapters/adapter.ts';
import type { CommandRequest } from '../../engine/performer.ts';
import { PROVIDER_VARIABLES } from '../../gateway/network/upstreams.ts';
import type { SandboxUser } from '../../sandbox/sandbox-facts.ts';
import type { Backend, Mount, SandboxPolicy } from '../../sandbox/policy.ts';
import { configuredPolicy, GATEWAY_PORT, PATH_INSIDE } from '../../sandbox/policy.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { ARTIFACTS_VARIABLE } from '../collect-artifacts.ts';
import type { ExecutionHost } from './environment.ts';

import type { Installation } from './installation.ts';
import type { GrantedTo } from './prepare-tree.ts';
import { setupMounts } from './prepare-tree.ts';
import { tunnelEnv } from '../model-gateway/tunnels.ts';
import type { AttemptInput } from '../../protocol/contracts/attempt-contract.ts';

const PASSED_IN = ['LANG', 'LC_ALL', 'TZ', 'TERM', 'NO_COLOR'];

/** The variables of the owner's environment that the sandbox gets too. */
export function passedIn(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_IN.includes(name)));
}

/** Everything that is prepared for one attempt. */
export type AgentFolders = {
  readonly request: CommandRequest;
  readonly input: AttemptInput;
  readonly backend: Backend;
  readonly workspace: Workspace;
  /** The folder in which it starts, and its tree, where it sees them. */
  readonly cwd: string;
  readonly shown: string;
  readonly home: string;
  readonly artifacts: string;
  readonly user: SandboxUser;
  readonly socket: string;
  readonly granted: GrantedTo;
  readonly setup: string | null;
  readonly mailbox: string | null;
  /** Files of its tree that it can read and not write. */
  readonly locked: readonly string[];
};

export function agentPolicy(
  folders: AgentFolders,
  invocation: Invocation,
  installed: Installation | undefined,
  { env, sandboxLabel }: Pick<ExecutionHost, 'env' | 'sandboxLabel'>,
): SandboxPolicy {
  const { request, input, backend, workspace, home, artifacts, socket, granted, setup } = folders;
  const { locked, cwd, shown } = folders;
  const { sandbox } = input;
  const { mounts, hosts } = sandbox;
  const mailbox = folders.mailbox === null ? [] : [folders.mailbox];
  const { work } = workspace;
  const elsewhere: readonly Mount[] = shown === work ? [] : [{ from: work, to: shown, mode: 'rw' }];
  const ofTree = [...elsewhere, ...setupMounts(setup, work, backend)];
  return {
    ...configuredPolicy(sandboxLabel(request.run, request.key), cwd, sandbox, null),
    read: [...new Set([...(installed?.read ?? []), ...granted.read, ...mailbox])],
    write: [work, artifacts],
    mounts: [...mounts, ...ofTree, ...lockedMounts(locked, work, ofTree)],
    home,
    env: {
      ...passedIn(env),
      PATH: [...(installed?.path ?? []), ...granted.path, PATH_INSIDE].join(':'),
      ...tunnelEnv(hosts),
      ...invocation.env,
      ...withoutKeys(input.agent.env),
      [ARTIFACTS_VARIABLE]: artifacts,
    },
    network: { kind: 'gateway', socket, port: GATEWAY_PORT },
  };
}

/** A policy has a bound on its mounts. What is beyond this is refused at the merge only. */
const LOCKED_MOUNTS_MAX = 50;

/** Under each path that shows the tree. */
function lockedMounts(
  locked: readonly string[],
  tree: string,
  ofTree: readonly Mount[],
): readonly Mount[] {
  const shown = [tree, ...ofTree.filter(({ from }) => from === tree).map(({ to }) => to)];
  return locked
    .slice(0, LOCKED_MOUNTS_MAX)
    .flatMap((path) =>
      shown.map((to): Mount => ({ from: join(tree, path), to: join(to, path), mode: 'ro' })),
    );
}

function withoutKeys(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !PROVIDER_VARIABLES.has(name)));
}
