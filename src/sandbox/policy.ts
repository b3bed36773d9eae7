/**
 * What a command may see, touch and use. A policy is a plain value that names no mechanism: each
 * backend turns it into its own words, and says what of it this machine can't hold it to.
 */

export const BACKENDS = ['bubblewrap', 'docker', 'podman', 'seatbelt', 'none'] as const;
export type Backend = (typeof BACKENDS)[number];

/**
 * How the command reaches the world. `gateway` and `allowlist` both end at one unix socket of ours, which
 * is met inside at `127.0.0.1:port`; for `allowlist` the usual proxy variables say so too. There is
 * no other way out, and nothing resolves names.
 */
export type SandboxNetwork =
  | { readonly kind: 'none' }
  | { readonly kind: 'gateway'; readonly socket: string; readonly port: number }
  | { readonly kind: 'allowlist'; readonly socket: string; readonly port: number };

/** A folder, file or socket of the host, and where it is found inside. */
export type Mount = {
  readonly from: string;
  readonly to: string;
  readonly mode: 'ro' | 'rw';
};

/** Null is no limit of ours. */
export type SandboxLimits = {
  readonly memoryBytes: number | null;
  readonly cpus: number | null;
  readonly pids: number | null;
  /** What all writable folders together may hold, those of the host included. */
  readonly diskBytes: number | null;
  /** Of each folder that lives in memory: /tmp, and HOME where none is kept. */
  readonly tmpBytes: number;
  readonly timeMs: number | null;
};

export type SandboxPolicy = {
  /** Names the run and what it does, such as `3f2a…/attempt-1`: on containers, cgroups and processes. */
  readonly id: string;
  /** Seen at the same path, not to be changed. */
  readonly read: readonly string[];
  /** Seen at the same path, with everything in it free to change. */
  readonly write: readonly string[];
  readonly mounts: readonly Mount[];
  /** Kept between attempts, made when it is missing, and shown as HOME; null gives an empty one that is gone at the end. */
  readonly home: string | null;
  readonly cwd: string;
  /** All of the environment; nothing of ours is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: SandboxNetwork;
  readonly limits: SandboxLimits;
  /** For backends that run images. */
  readonly image: string | null;
  readonly pull: 'never' | 'missing' | 'always';
  /** Says in so many words that `none`, which holds nobody, will do. */
  readonly unsafe: boolean;
};

/** Where a backend shows HOME. */
export const HOME_INSIDE = '/home/agent';
/** Where our own few files are found inside. */
export const OURS_INSIDE = '/run/supervisor';
export const GATEWAY_PORT = 3128;
/** The programs of the system. */
export const PATH_INSIDE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const GB = 1_000_000_000;

/** What an agent may use unless told otherwise; it has no time limit of its own. */
export const AGENT_LIMITS: SandboxLimits = {
  memoryBytes: 4 * GB,
  cpus: 2,
  pids: 512,
  diskBytes: 10 * GB,
  tmpBytes: 0.5 * GB,
  timeMs: null,
};

type ConfiguredSandbox = Omit<SandboxLimits, 'timeMs'> & Pick<SandboxPolicy, 'image' | 'pull'>;

/** The least policy: one folder to work in, no network, an empty HOME. */
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

/** Every mount of a policy, widest first, so that what lies inside another is laid over it. */
export function policyMounts({ read, write, mounts, home }: SandboxPolicy): readonly Mount[] {
  const same = (mode: Mount['mode']) => (path: string) => ({ from: path, to: path, mode });
  const kept: Mount[] = home === null ? [] : [{ from: home, to: HOME_INSIDE, mode: 'rw' }];
  return [...kept, ...read.map(same('ro')), ...write.map(same('rw')), ...mounts].toSorted(
    (a, b) => depth(a.to) - depth(b.to),
  );
}

function depth(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
