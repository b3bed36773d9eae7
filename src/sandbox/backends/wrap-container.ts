/**
 * Turns a policy into `docker run` or `podman run`: a read-only image, no network but our socket, limits by cgroup.
 * The client can be killed without its container noticing, so the container itself watches a lifeline.
 */
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
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import { seccompProfile } from './seccomp-profile.ts';
import type { SandboxPolicy } from '../policy.ts';
import { HOME_INSIDE, policyMounts } from '../policy.ts';
import type { Enforced, InnerCommand, ScratchFile, Wrapped } from '../wrapped.ts';

/** The label by which we find our containers that outlived their owner. */
export const CONTAINER_LABEL = 'agent-supervisor';
/** The scratch file that breaks when the process that holds it dies. */
export const LIFELINE_FILE = 'lifeline';
/** The scratch folder that is HOME if the policy names none. */
export const HOME_FOLDER = 'home';
const ENV_FILE = 'env';
const SECCOMP_FILE = 'seccomp.json';
const BRIDGE_FILE = 'bridge.cjs';
const SMALL_BYTES = 16_000_000;
const SHARED_MEMORY_BYTES = 64_000_000;

export function wrapDocker(
  policy: SandboxPolicy,
  command: InnerCommand,
  facts: SandboxFacts,
  layout: MountLayout,
): Wrapped {
  return wrapContainer('docker', policy, command, facts, layout);
}

/** As with docker, plus flags against what podman passes on from the host by default. */
export function wrapPodman(
  policy: SandboxPolicy,
  command: InnerCommand,
  facts: SandboxFacts,
  layout: MountLayout,
): Wrapped {
  return wrapContainer('podman', policy, command, facts, layout, [
    ...groupArgs('--no-hosts', '--http-proxy=false', '--image-volume', 'ignore'),
    ...groupArgs('--ulimit', 'nproc=4096:4096'),
    // Without root, our own uid has to be kept. Otherwise our files would belong to another user inside.
    ...(facts.uid === 0 ? [] : ['--userns', 'keep-id']),
  ]);
}

function wrapContainer(
  backend: 'docker' | 'podman',
  policy: SandboxPolicy,
  command: InnerCommand,
  { tools, engineEnv }: SandboxFacts,
  layout: MountLayout,
  extra: readonly string[] = [],
): Wrapped {
  return {
    backend,
    argv: [tools[backend] ?? backend, ...runArgs(policy, command, layout, extra)],
    env: clientEnv(policy, engineEnv),
    cwd: layout.scratch,
    files: containerFiles(policy),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    enforced: containerEnforced(policy),
    container: layout.container,
  };
}

/** The arguments from `run` to the end. */
function runArgs(
  policy: SandboxPolicy,
  command: InnerCommand,
  layout: MountLayout,
  extra: readonly string[],
): readonly string[] {
  const { limits, network, image, home, cwd } = policy;
  const { uid, gid } = layout.user;
  return [
    ...groupArgs('run', '--name', layout.container, '--label', `${CONTAINER_LABEL}=${policy.id}`),
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
    ...groupArgs('--security-opt', `seccomp=${layout.scratch}/${SECCOMP_FILE}`),
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
    // A folder of the host, because a tmpfs here would get the owner and mode of the image's own folder.
    ...(home === null ? bind(`${layout.scratch}/${HOME_FOLDER}`, HOME_INSIDE, 'rw') : []),
    ...policyMounts(policy).flatMap(({ from, to, mode }) => bind(from, to, mode)),
    ...bind(`${layout.scratch}/${LIFELINE_FILE}`, LIFELINE_INSIDE, 'ro'),
    ...(network.kind === 'none'
      ? []
      : [
          ...bind(network.socket, SOCKET_INSIDE, 'ro'),
          ...bind(`${layout.scratch}/${BRIDGE_FILE}`, BRIDGE_INSIDE, 'ro'),
        ]),
    ...groupArgs('--env-file', `${layout.scratch}/${ENV_FILE}`),
    ...Object.keys(multilineVariables(policy.env)).flatMap((name) => ['--env', name]),
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

/** Unlike `--volume`, this does not create a missing folder. */
function bind(from: string, to: string, mode: 'ro' | 'rw'): readonly string[] {
  return groupArgs(
    '--mount',
    `type=bind,source=${from},target=${to}${mode === 'ro' ? ',readonly' : ''}`,
  );
}

/** Docker's default is noexec, which breaks every tool that unpacks itself. */
function tmpfs(path: string, bytes: number): readonly string[] {
  return groupArgs('--tmpfs', `${path}:rw,exec,nosuid,nodev,size=${bytes},mode=1777`);
}

/** The environment is passed in a file, because other users can read arguments. */
function containerFiles(policy: SandboxPolicy): readonly ScratchFile[] {
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

/**
 * An env file has one line per variable. Variables with several lines are passed through the client's own
 * environment.
 */
function clientEnv(
  { env }: SandboxPolicy,
  engineEnv: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const multiline = multilineVariables(env);
  const clash = Object.keys(multiline).find((name) => Object.hasOwn(engineEnv, name));
  if (clash !== undefined) {
    throw new Refusal({
      code: 'sandbox.policy-refused',
      message: `The variable ${clash} cannot have more than one line in a container.`,
    });
  }
  return { ...engineEnv, ...multiline };
}

function multilineVariables(env: SandboxPolicy['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value.includes('\n')));
}

function containerEnforced({ limits }: SandboxPolicy): Enforced {
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
