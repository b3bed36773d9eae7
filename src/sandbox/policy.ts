/**
 * What a command may see, touch and use. A policy is a plain value that names no mechanism. Each backend translates
 * it, and reports which parts this machine cannot enforce.
 */

export const BACKENDS = ['bubblewrap', 'docker', 'podman', 'seatbelt', 'none'] as const;
export type Backend = (typeof BACKENDS)[number];

/**
 * How the command reaches the network. `gateway` and `allowlist` both end at one unix socket of Supervisor, which is
 * reachable inside at `127.0.0.1:port`. For `allowlist` the usual proxy variables point to it too. There is no other
 * way out, and no name resolution.
 */
export type SandboxNetwork =
  | { readonly kind: 'none' }
  | { readonly kind: 'gateway'; readonly socket: string; readonly port: number }
  | { readonly kind: 'allowlist'; readonly socket: string; readonly port: number };

/** A folder, file or socket of the host, and its path inside. */
export type Mount = {
  readonly from: string;
  readonly to: string;
  readonly mode: 'ro' | 'rw';
};

/** Null: no limit. */
export type SandboxLimits = {
  readonly memoryBytes: number | null;
  readonly cpus: number | null;
  readonly pids: number | null;
  /** The total size of all writable folders, including those of the host. */
  readonly diskBytes: number | null;
  /** The size of each folder in memory: /tmp, and HOME if the policy names none. */
  readonly tmpBytes: number;
  readonly timeMs: number | null;
};

export type SandboxPolicy = {
  /** Names the run and the command, such as `3f2a…/attempt-1`. It appears on containers, cgroups and processes. */
  readonly id: string;
  /** Paths that are visible inside at the same path, read-only. */
  readonly read: readonly string[];
  /** Paths that are visible inside at the same path, writable. */
  readonly write: readonly string[];
  readonly mounts: readonly Mount[];
  /**
   * A folder that is kept between attempts, created if it is missing, and mounted as HOME. Null: an empty HOME that
   * is deleted at the end.
   */
  readonly home: string | null;
  readonly cwd: string;
  /** The whole environment. Nothing of the owner's environment is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: SandboxNetwork;
  readonly limits: SandboxLimits;
  /** For backends that run images. */
  readonly image: string | null;
  readonly pull: 'never' | 'missing' | 'always';
  /** Explicitly accepts the backend `none`, which contains nothing. */
  readonly unsafe: boolean;
};

/** The path of HOME inside. */
export const HOME_INSIDE = '/home/agent';
/** The folder of Supervisor's own files inside. */
export const OURS_INSIDE = '/run/supervisor';
export const GATEWAY_PORT = 3128;
/** The programs of the system. */
export const PATH_INSIDE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const GB = 1_000_000_000;

/** The default limits of an agent. It has no time limit here. */
export const AGENT_LIMITS: SandboxLimits = {
  memoryBytes: 4 * GB,
  cpus: 2,
  pids: 512,
  diskBytes: 10 * GB,
  tmpBytes: 0.5 * GB,
  timeMs: null,
};

type ConfiguredSandbox = Omit<SandboxLimits, 'timeMs'> & Pick<SandboxPolicy, 'image' | 'pull'>;

/** The minimal policy: one folder to work in, no network, an empty HOME. */
export function offlinePolicy(id: string, folder: string, limits: SandboxLimits): SandboxPolicy {
  return {
    id,
    read: [],
    write: [folder],
    mounts: [],
    home: null,
    cwd: folder,
    env: {},
    network: { kind: 'none' },
    limits,
    image: null,
    pull: 'never',
    unsafe: false,
  };
}

/**
 * Offline, with the limits and the image of the settings, and nothing to write. The policies of agents, gates and
 * setups extend it.
 */
export function configuredPolicy(
  id: string,
  cwd: string,
  sandbox: ConfiguredSandbox,
  timeMs: number | null,
): SandboxPolicy {
  const { memoryBytes, cpus, pids, diskBytes, tmpBytes, image, pull } = sandbox;
  const limits = { memoryBytes, cpus, pids, diskBytes, tmpBytes, timeMs };
  return { ...offlinePolicy(id, cwd, limits), write: [], image, pull };
}

/** Every mount of a policy, outermost first, so that an inner mount covers part of an outer one. */
export function policyMounts({ read, write, mounts, home }: SandboxPolicy): readonly Mount[] {
  const same = (mode: Mount['mode']) => (path: string) => ({ from: path, to: path, mode });
  const homeMount: Mount[] = home === null ? [] : [{ from: home, to: HOME_INSIDE, mode: 'rw' }];
  return [...homeMount, ...read.map(same('ro')), ...write.map(same('rw')), ...mounts].toSorted(
    (a, b) => depth(a.to) - depth(b.to),
  );
}

function depth(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
