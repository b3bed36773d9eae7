/** What docker and podman have in common: `run` with everything taken away that can be. */
import { groupArgs } from '../group-args.ts';
import { Refusal } from '../../base/errors.ts';
import {
  BRIDGE_INSIDE,
  BRIDGE_PROGRAM,
  entryArgv,
  LIFELINE_INSIDE,
  networkEnv,
  SOCKET_INSIDE,
} from '../entry-script.ts';
import type { MountLayout } from '../sandbox-facts.ts';
import { seccompProfile } from './seccomp-profile.ts';
import type { SandboxPolicy } from '../policy.ts';
import { HOME_INSIDE, policyMounts } from '../policy.ts';
import type { Enforced, InnerCommand, ScratchFile } from '../wrapped.ts';

/** By which we find containers of ours that outlived their owner. */
export const CONTAINER_LABEL = 'agent-supervisor';
/** The scratch file that breaks when its holder dies. */
export const LIFELINE_FILE = 'lifeline';
/** The scratch folder that is HOME where none is kept. */
export const HOME_FOLDER = 'home';
const ENV_FILE = 'env';
const SECCOMP_FILE = 'seccomp.json';
const BRIDGE_FILE = 'bridge.cjs';
const SMALL_BYTES = 16_000_000;
const SHARED_MEMORY_BYTES = 64_000_000;

/** The arguments from `run` to the end. */
export function runArgs(
  policy: SandboxPolicy,
  command: InnerCommand,
  place: MountLayout,
  extra: readonly string[] = [],
): readonly string[] {
  const { limits, network, image, home, cwd } = policy;
  const { uid, gid } = place.user;
  return [
    ...groupArgs('run', '--name', place.container, '--label', `${CONTAINER_LABEL}=${policy.id}`),
    ...(command.stdin === undefined ? [] : ['--interactive']),
    ...groupArgs(
      '--init',
      '--read-only',
      '--network',
      'none',
      '--hostname',
      'sandbox',
      '--log-driver',
      'none',
    ),
    ...groupArgs(
      '--user',
      `${uid}:${gid}`,
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
    ),
    ...groupArgs('--security-opt', `seccomp=${place.scratch}/${SECCOMP_FILE}`),
    ...groupArgs('--pull', policy.pull, '--ipc', 'private', '--shm-size', SHARED_MEMORY_BYTES),
    ...groupArgs('--ulimit', 'core=0:0', '--ulimit', 'nofile=8192:8192'),
    ...(limits.memoryBytes === null
      ? []
      : ['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)]),
    ...(limits.cpus === null ? [] : ['--cpus', String(limits.cpus)]),
    ...(limits.pids === null ? [] : ['--pids-limit', String(limits.pids)]),
    ...(limits.diskBytes === null
      ? []
      : ['--ulimit', `fsize=${limits.diskBytes}:${limits.diskBytes}`]),
    ...extra,
    ...tmpfs('/tmp', limits.tmpBytes),
    ...tmpfs('/var/tmp', SMALL_BYTES),
    // A folder of the host, since one in memory has the owner and mode of the image's own.
    ...(home === null ? bind(`${place.scratch}/${HOME_FOLDER}`, HOME_INSIDE, 'rw') : []),
    ...policyMounts(policy).flatMap(({ from, to, mode }) => bind(from, to, mode)),
    ...bind(`${place.scratch}/${LIFELINE_FILE}`, LIFELINE_INSIDE, 'ro'),
    ...(network.kind === 'none'
      ? []
      : [
          ...bind(network.socket, SOCKET_INSIDE, 'ro'),
          ...bind(`${place.scratch}/${BRIDGE_FILE}`, BRIDGE_INSIDE, 'ro'),
        ]),
    ...groupArgs('--env-file', `${place.scratch}/${ENV_FILE}`),
    ...Object.keys(manyLines(policy.env)).flatMap((name) => ['--env', name]),
    ...groupArgs('--workdir', cwd, '--entrypoint', ''),
    image ?? '',
    ...entryArgv(policy, command.argv, {
      rlimits: null,
      lifeline: true,
      socket: SOCKET_INSIDE,
      bridge: BRIDGE_INSIDE,
    }),
  ];
}

/** Unlike --volume it makes no folder where there is none. */
function bind(from: string, to: string, mode: 'ro' | 'rw'): readonly string[] {
  return groupArgs(
    '--mount',
    `type=bind,source=${from},target=${to}${mode === 'ro' ? ',readonly' : ''}`,
  );
}

/** noexec is what docker takes for granted, and what breaks every tool that unpacks itself. */
function tmpfs(path: string, bytes: number): readonly string[] {
  return groupArgs('--tmpfs', `${path}:rw,exec,nosuid,nodev,size=${bytes},mode=1777`);
}

/** The environment comes from a file, since anybody may read arguments. */
export function containerFiles(policy: SandboxPolicy): readonly ScratchFile[] {
  const env = { HOME: HOME_INSIDE, LANG: 'C.UTF-8', ...networkEnv(policy), ...policy.env };
  const lines = Object.entries(env)
    .filter(([, value]) => !value.includes('\n'))
    .map(([name, value]) => `${name}=${value}\n`);
  return [
    { name: ENV_FILE, data: lines.join('') },
    { name: SECCOMP_FILE, data: seccompProfile() },
    ...(policy.network.kind === 'none'
      ? []
      : [{ name: BRIDGE_FILE, data: BRIDGE_PROGRAM, isPublic: true } as const]),
  ];
}

/** A file has one line a variable; those that need more are handed over by the client's own environment. */
export function clientEnv(
  { env }: SandboxPolicy,
  engineEnv: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const passed = manyLines(env);
  const clash = Object.keys(passed).find((name) => Object.hasOwn(engineEnv, name));
  if (clash !== undefined) {
    throw new Refusal({
      code: 'sandbox.policy-refused',
      message: `The variable ${clash} can't have more than one line in a container.`,
    });
  }
  return { ...engineEnv, ...passed };
}

function manyLines(env: SandboxPolicy['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value.includes('\n')));
}

export function containerEnforced({ limits }: SandboxPolicy): Enforced {
  return {
    files: 'namespace',
    network: 'namespace',
    processes: 'namespace',
    user: 'ordinary',
    syscalls: 'seccomp',
    memory: limits.memoryBytes === null ? 'none' : 'cgroup',
    cpus: limits.cpus === null ? 'none' : 'cgroup',
    pids: limits.pids === null ? 'none' : 'cgroup',
    disk: limits.diskBytes === null ? 'none' : 'watched',
    tmp: 'sized',
  };
}
