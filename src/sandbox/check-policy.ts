/**
 * Refuses a policy that would be no sandbox, or that nobody can have meant. It judges paths as they
 * are written: whoever builds a policy gives real paths, with no links left in them.
 */
import { normalize } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { SecretPaths } from '../base/secret-paths.ts';
import { isWithin, sharingObjection, secretPaths } from '../base/secret-paths.ts';
import { realPathSync as realPathHere } from '../host/files/system-dirs.ts';
import type { Mount, SandboxPolicy } from './policy.ts';
import { HOME_INSIDE, policyMounts, OURS_INSIDE } from './policy.ts';

/** What is the user's own, and never to be shown. */
export type ProtectedPaths = {
  readonly userDir: string;
  /** Our own state: its journal holds what every run said. */
  readonly stateDir: string;
  /** The part of the state that is made for runs: workspaces, homes, sockets. */
  readonly shared?: readonly string[];
  /** A path with no symlink in it; undefined where nothing is. This machine's, unless something else is given. */
  readonly realPath?: (path: string) => string | undefined;
};

/** Sockets that are as good as root, or as the user. */
const SECRET_SOCKETS =
  /(^|\/)(docker|podman|containerd|crio|dbus|system_bus_socket|wayland-\d+|agent\.\d+)(\.sock)?$|^\/tmp\/\.X11-unix/;
/** The kernel's own folders, which a backend makes for itself. */
const OF_THE_KERNEL = ['/proc', '/sys', '/dev'];
/** What the backend lays out itself; a mount there would undo it. */
const OF_THE_SANDBOX = [OURS_INSIDE, '/usr', '/etc', '/bin', '/sbin', '/lib', '/lib64'];
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const POLICY_ID = /^\w[\w.:/-]{0,199}$/;
const ARGUMENT_BYTES_MAX = 128 * 1024;
const MOUNTS_MAX = 200;

/** Throws a Refusal that lists every fault, or returns the policy as it is. */
export function checkPolicy(policy: SandboxPolicy, precious: ProtectedPaths): SandboxPolicy {
  const faults = [...faultsOf(policy, precious)];
  if (faults.length === 0) return policy;
  throw new Refusal({
    code: 'sandbox.policy-refused',
    message: `This sandbox can't be allowed: ${faults.join('; ')}.`,
    hint: 'Change what the policy mounts or allows; nothing was started.',
  });
}

function* faultsOf(policy: SandboxPolicy, precious: ProtectedPaths): Generator<string> {
  const { id, cwd, env, network, limits, image } = policy;
  const mounts = policyMounts(policy);
  if (!POLICY_ID.test(id)) yield `the id ${JSON.stringify(id)} is no name`;
  if (mounts.length > MOUNTS_MAX) yield `${mounts.length} mounts are more than ${MOUNTS_MAX}`;
  const { userDir, realPath = realPathHere } = precious;
  const secrets = secretPaths({ userDir, realPath });
  for (const mount of mounts) yield* faultsOfMount(mount, precious, secrets);
  yield* faultsOfOverlap(mounts);
  yield* faultsOfPath(cwd, 'the working folder');
  if (network.kind !== 'none') {
    yield* faultsOfPath(network.socket, 'the socket');
    if (!isWhole(network.port, 1024, 65_535)) yield `${network.port} is no port for a command`;
  }
  for (const [name, value] of Object.entries(env)) {
    if (!VARIABLE.test(name)) yield `${JSON.stringify(name)} is no name of a variable`;
    if (value.includes('\0')) yield `the variable ${name} holds a NUL`;
    if (Buffer.byteLength(value) > ARGUMENT_BYTES_MAX) yield `the variable ${name} is too long`;
  }
  for (const [name, value] of Object.entries(limits)) {
    const least = name === 'cpus' ? 0.01 : 1;
    if (value !== null && !(Number.isFinite(value) && value >= least))
      yield `${name} can't be ${value}`;
  }
  if (image !== null && !/^[\w][\w./:@-]{0,255}$/.test(image))
    yield `${JSON.stringify(image)} is no name of an image`;
}

function* faultsOfMount(
  mount: Mount,
  { stateDir, shared = [] }: ProtectedPaths,
  secrets: SecretPaths,
): Generator<string> {
  const { from, to, mode } = mount;
  yield* faultsOfPath(from, 'what is mounted');
  yield* faultsOfPath(to, 'where it is mounted');
  if (from === '/' || to === '/') {
    yield `${from} at ${to} is everything at once`;
    return;
  }
  for (const kernel of OF_THE_KERNEL) {
    if (isWithin(from, kernel) || isWithin(to, kernel)) yield `${from} at ${to} is the kernel's`;
  }
  for (const ours of OF_THE_SANDBOX) {
    if (isWithin(ours, to) || (from !== to && isWithin(to, ours)))
      yield `${to} is laid out by the sandbox itself`;
  }
  if (SECRET_SOCKETS.test(from)) yield `${from} opens more than a sandbox may have`;
  const isShared = shared.some((folder) => isWithin(from, folder));
  const why = isShared ? undefined : sharingObjection(from, mode, secrets);
  if (why !== undefined) yield `${from} ${why}`;
  if (!isShared && (isWithin(from, stateDir) || isWithin(stateDir, from)))
    yield `${from} holds the state of Supervisor`;
}

function* faultsOfOverlap(mounts: readonly Mount[]): Generator<string> {
  const seen = new Map<string, Mount>();
  for (const mount of mounts) {
    const before = seen.get(mount.to);
    if (before !== undefined && (before.from !== mount.from || before.mode !== mount.mode))
      yield `both ${before.from} (${before.mode}) and ${mount.from} (${mount.mode}) are mounted at ${mount.to}`;
    seen.set(mount.to, mount);
    if (mount.to !== HOME_INSIDE && isWithin(HOME_INSIDE, mount.to))
      yield `${mount.to} hides the HOME of the sandbox`;
    // What is shown read-only must not be writable under another name.
    for (const other of mounts) {
      if (mount.mode === 'ro' || other.mode === 'rw' || mount.from === mount.to) continue;
      if (isWithin(other.from, mount.from) && other.from === other.to)
        yield `${other.from} is read-only, but can be written to at ${mount.to}`;
    }
  }
}

function* faultsOfPath(path: string, what: string): Generator<string> {
  if (!path.startsWith('/')) yield `${what}, ${JSON.stringify(path)}, is no absolute path`;
  else if (path !== '/' && (normalize(path) !== path || path.endsWith('/')))
    yield `${what}, ${JSON.stringify(path)}, is not written plainly`;
  if (/[\0\n]/.test(path)) yield `${what} holds a NUL or a line end`;
  // Docker reads `from:to:mode`, and has no way to write a colon or a comma.
  if (/[:,]/.test(path)) yield `${what}, ${JSON.stringify(path)}, holds a colon or a comma`;
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
