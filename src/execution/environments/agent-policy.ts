/** What a contained agent may see and use, as a policy of the sandbox. */
import type { Invocation } from '../../adapters/adapter.ts';
import type { CommandRequest } from '../../engine/performer.ts';
import { PROVIDER_VARIABLES } from '../../gateway/network/upstreams.ts';
import type { Settings } from '../../settings/settings.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { SandboxUser } from '../../sandbox/sandbox-facts.ts';
import type { Backend, SandboxPolicy } from '../../sandbox/policy.ts';
import { GATEWAY_PORT } from '../../sandbox/policy.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { ARTIFACTS_VARIABLE } from '../collect-artifacts.ts';
import type { AttemptInput } from '../../attempts/attempt.ts';
import type { SandboxedPorts } from './sandboxed-environment.ts';
import type { Installation } from './installation.ts';
import type { GrantedTo } from './prepare-tree.ts';
import { setupMounts } from './prepare-tree.ts';
import { tunnelEnv } from '../model-gateway/tunnels.ts';

/** Of our environment, what means something inside as well. */
export const PASSED_IN = ['LANG', 'LC_ALL', 'TZ', 'TERM', 'NO_COLOR'];
export const PATH_INSIDE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Everything that was made ready for one attempt. */
export type AgentFolders = {
  readonly order: CommandRequest;
  readonly input: AttemptInput;
  readonly backend: Backend;
  readonly workspace: Workspace;
  readonly home: string;
  readonly artifacts: string;
  readonly user: SandboxUser;
  readonly socket: string;
  readonly granted: GrantedTo;
  readonly setup: string | null;
};

/** As it was pinned; what it says nothing of is as it is by default, since a run may be older than a setting. */
export function sandboxSettings({ sandbox }: Pick<AttemptInput, 'sandbox'>): Settings['sandbox'] {
  return { ...defaultSettings.sandbox, ...sandbox };
}

export function agentPolicy(
  { order, input, backend, workspace, home, artifacts, socket, granted, setup }: AgentFolders,
  invocation: Invocation,
  installed: Installation | undefined,
  { env, placeIdOf }: Pick<SandboxedPorts, 'env' | 'placeIdOf'>,
): SandboxPolicy {
  const sandbox = sandboxSettings(input);
  const { memoryBytes, cpus, pids, diskBytes, tmpBytes, mounts, hosts, image, pull } = sandbox;
  return {
    id: placeIdOf(order.run, order.key),
    read: [...new Set([...(installed?.read ?? []), ...granted.read])],
    write: [workspace.work, artifacts],
    mounts: [...mounts, ...setupMounts(setup, workspace.work, backend)],
    home,
    cwd: workspace.cwd,
    env: {
      ...only(env, PASSED_IN),
      PATH: [...(installed?.path ?? []), ...granted.path, PATH_INSIDE].join(':'),
      ...tunnelEnv(hosts),
      ...invocation.env,
      ...withoutKeys(input.agent.env),
      [ARTIFACTS_VARIABLE]: artifacts,
    },
    network: { kind: 'gateway', socket, port: GATEWAY_PORT },
    limits: { memoryBytes, cpus, pids, diskBytes, tmpBytes, timeMs: null },
    image,
    pull,
    unsafe: false,
  };
}

function only(
  env: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.includes(name)));
}

function withoutKeys(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !PROVIDER_VARIABLES.has(name)));
}
