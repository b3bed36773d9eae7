/** What a contained agent may see and use, as a policy of the sandbox. */
import type { Invocation } from '../agents/adapter.ts';
import type { Order } from '../engine/performer.ts';
import { PROVIDER_VARIABLES } from '../gateway/upstreams.ts';
import type { Settings } from '../protocol/settings.ts';
import { defaultSettings } from '../protocol/to-settings.ts';
import type { SandboxUser } from '../sandbox/facts.ts';
import type { Backend, SandboxPolicy } from '../sandbox/policy.ts';
import { GATEWAY_PORT } from '../sandbox/policy.ts';
import type { Workspace } from '../workspace/make.ts';
import { ARTIFACTS_VARIABLE } from './artifacts.ts';
import type { AttemptInput } from './attempt.ts';
import type { ContainedPorts } from './contained-place.ts';
import type { Installation } from './installation.ts';
import type { GrantedTo } from './prepare-tree.ts';
import { setupMounts } from './prepare-tree.ts';
import { tunnelEnv } from './tunnels.ts';

/** Of our environment, what means something inside as well. */
export const PASSED_IN = ['LANG', 'LC_ALL', 'TZ', 'TERM', 'NO_COLOR'];
export const PATH_INSIDE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Everything that was made ready for one attempt. */
export type Room = {
  readonly order: Order;
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
export function sandboxOf({ sandbox }: Pick<AttemptInput, 'sandbox'>): Settings['sandbox'] {
  return { ...defaultSettings.sandbox, ...sandbox };
}

export function policyOf(
  { order, input, backend, workspace, home, artifacts, socket, granted, setup }: Room,
  invocation: Invocation,
  installed: Installation | undefined,
  { env, placeIdOf }: Pick<ContainedPorts, 'env' | 'placeIdOf'>,
): SandboxPolicy {
  const sandbox = sandboxOf(input);
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
