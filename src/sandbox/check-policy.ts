/**
 * Refuses a policy that would be no sandbox, or that cannot be intended. It checks paths as they are written: the
 * builder of a policy passes real paths, without symlinks.
 */
import { normalize } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { SecretPaths } from '../base/secret-paths.ts';
import { isWithin, sharingObjection, secretPaths } from '../base/secret-paths.ts';
import { realPathSync as realPathHere } from '../host/files/real-path.ts';
import type { Mount, SandboxPolicy } from './policy.ts';
import { HOME_INSIDE, policyMounts, OURS_INSIDE } from './policy.ts';

/** The user's own paths, which must never be mounted. */
export type ProtectedPaths = {
  readonly userDir: string;
  /** Our own state. Its journal contains the output of every run. */
  readonly stateDir: string;
  /** The parts of the state that are made for runs: workspaces, homes, sockets. */
  readonly shared?: readonly string[];
  /** The path with all symlinks resolved. Undefined if it does not exist. Default: that of this machine. */
  readonly realPath?: (path: string) => string | undefined;
};

/** Sockets that give the rights of root, or of the user. */
const SECRET_SOCKETS =
  /(^|\/)(docker|podman|containerd|crio|dbus|system_bus_socket|wayland-\d+|agent\.\d+)(\.sock)?$|^\/tmp\/\.X11-unix/;
/** The kernel's own folders, which each backend creates itself. */
const KERNEL_PATHS = ['/proc', '/sys', '/dev'];
/** Folders that the backend lays out itself. A mount there would undo it. */
const SANDBOX_PATHS = [OURS_INSIDE, '/usr', '/etc', '/bin', '/sbin', '/lib', '/lib64'];
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const POLICY_ID = /^\w[\w.:/-]{0,199}$/;
const ARGUMENT_BYTES_MAX = 128 * 1024;
const MOUNTS_MAX = 200;

/** Returns the policy unchanged, or throws a Refusal that lists every fault. */
export function checkPolicy(policy: SandboxPolicy, protectedPaths: ProtectedPaths): SandboxPolicy {
  const faults = [...findFaults(policy, protectedPaths)];
  if (faults.length === 0) return policy;
  throw new Refusal({
    code: 'sandbox.policy-refused',
    message: `This sandbox policy is not allowed: ${faults.join('; ')}.`,
    hint: 'Change what the policy mounts or allows. Nothing was started.',
  });
}

function* findFaults(policy: SandboxPolicy, protectedPaths: ProtectedPaths): Generator<string> {
  const { id, cwd, env, network, limits, image } = policy;
  const mounts = policyMounts(policy);
  if (!POLICY_ID.test(id)) yield `the id ${JSON.stringify(id)} is not a valid name`;
  if (mounts.length > MOUNTS_MAX) yield `${mounts.length} mounts are more than ${MOUNTS_MAX}`;
  const { userDir, realPath = realPathHere } = protectedPaths;
  const secrets = secretPaths({ userDir, realPath });
  for (const mount of mounts) yield* findMountFaults(mount, protectedPaths, secrets);
  yield* findOverlapFaults(mounts);
  yield* findPathFaults(cwd, 'the working folder');
  if (network.kind !== 'none') {
    yield* findPathFaults(network.socket, 'the socket');
    if (!isWhole(network.port, 1024, 65_535))
      yield `${network.port} is not a valid port for a command`;
  }
  for (const [name, value] of Object.entries(env)) {
    if (!VARIABLE.test(name)) yield `${JSON.stringify(name)} is not a valid variable name`;
    if (value.includes('\0')) yield `the variable ${name} contains a NUL`;
    if (Buffer.byteLength(value) > ARGUMENT_BYTES_MAX) yield `the variable ${name} is too long`;
  }
  for (const [name, value] of Object.entries(limits)) {
    const minimum = name === 'cpus' ? 0.01 : 1;
    if (value !== null && !(Number.isFinite(value) && value >= minimum))
      yield `${name} cannot be ${value}`;
  }
  if (image !== null && !/^[\w][\w./:@-]{0,255}$/.test(image))
    yield `${JSON.stringify(image)} is not a valid image name`;
}

function* findMountFaults(
  mount: Mount,
  { stateDir, shared = [] }: ProtectedPaths,
  secrets: SecretPaths,
): Generator<string> {
  const { from, to, mode } = mount;
  yield* findPathFaults(from, 'the mounted path');
  yield* findPathFaults(to, 'the mount point');
  if (from === '/' || to === '/') {
    yield `${from} at ${to} would be the whole file system`;
    return;
  }
  for (const kernel of KERNEL_PATHS) {
    if (isWithin(from, kernel) || isWithin(to, kernel))
      yield `${from} at ${to} belongs to the kernel`;
  }
  for (const sandboxPath of SANDBOX_PATHS) {
    if (isWithin(sandboxPath, to) || (from !== to && isWithin(to, sandboxPath)))
      yield `${to} is laid out by the sandbox itself`;
  }
  if (SECRET_SOCKETS.test(from)) yield `${from} gives more access than a sandbox may have`;
  const isShared = shared.some((folder) => isWithin(from, folder));
  const why = isShared ? undefined : sharingObjection(from, mode, secrets);
  if (why !== undefined) yield `${from} ${why}`;
  if (!isShared && (isWithin(from, stateDir) || isWithin(stateDir, from)))
    yield `${from} contains the state of Supervisor`;
}

function* findOverlapFaults(mounts: readonly Mount[]): Generator<string> {
  const seen = new Map<string, Mount>();
  for (const mount of mounts) {
    const before = seen.get(mount.to);
    if (before !== undefined && (before.from !== mount.from || before.mode !== mount.mode))
      yield `both ${before.from} (${before.mode}) and ${mount.from} (${mount.mode}) are mounted at ${mount.to}`;
    seen.set(mount.to, mount);
    if (mount.to !== HOME_INSIDE && isWithin(HOME_INSIDE, mount.to))
      yield `${mount.to} hides the HOME of the sandbox`;
    // A read-only mount must not be writable under another path.
    for (const other of mounts) {
      if (mount.mode === 'ro' || other.mode === 'rw' || mount.from === mount.to) continue;
      if (
        isWithin(other.from, mount.from) &&
        other.from === other.to &&
        !isCovered(mounts, other, mount)
      )
        yield `${other.from} is read-only, but can be written to at ${mount.to}`;
    }
  }
}

/** Whether the read-only path is read-only under the path of the other mount too. */
function isCovered(mounts: readonly Mount[], { from }: Mount, { from: root, to }: Mount): boolean {
  const there = `${to}${from.slice(root.length)}`;
  return mounts.some((one) => one.mode === 'ro' && one.from === from && one.to === there);
}

function* findPathFaults(path: string, what: string): Generator<string> {
  if (!path.startsWith('/')) yield `${what}, ${JSON.stringify(path)}, is not an absolute path`;
  else if (path !== '/' && (normalize(path) !== path || path.endsWith('/')))
    yield `${what}, ${JSON.stringify(path)}, is not normalized`;
  if (/[\0\n]/.test(path)) yield `${what} contains a NUL or a line break`;
  // Docker reads `from:to:mode`, and has no escape for a colon or a comma.
  if (/[:,]/.test(path)) yield `${what}, ${JSON.stringify(path)}, contains a colon or a comma`;
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
