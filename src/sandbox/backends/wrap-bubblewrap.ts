/**
 * Turns a policy into bubblewrap's arguments: new namespaces of every kind, a root that contains only what is listed
 * here, an ordinary user, no capabilities, and a system call filter.
 * If root starts it, the command still runs as an ordinary user, because root inside is root outside, whatever uid it
 * sees. Root first makes paths accessible that this user could not reach, in its own mount namespace.
 */
import { groupArgs } from '../group-args.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import type { SandboxPolicy } from '../policy.ts';
import { HOME_INSIDE, PATH_INSIDE, policyMounts } from '../policy.ts';
import {
  BRIDGE_INSIDE,
  BRIDGE_PROGRAM,
  entryArgv,
  networkEnv,
  NODE_INSIDE,
  SOCKET_INSIDE,
} from '../entry-script.ts';
import type { Enforced, InnerCommand, ScratchFile, Wrapped } from '../wrapped.ts';
import { STATUS_FILE } from '../wrapped.ts';
import { seccompFilter } from './seccomp.ts';

/** The uid that the command sees inside, whatever its uid is outside. */
const USER_INSIDE = 1000;
const SMALL_BYTES = 16_000_000;
const SHARED_MEMORY_BYTES = 64_000_000;

/**
 * Small files are passed as open descriptors, because the user inside may not be able to reach their paths. A POSIX
 * sh has descriptors up to 9.
 */
const FILES = {
  passwd: 3,
  group: 4,
  hosts: 5,
  bridge: 6,
  status: 7,
  args: 8,
  filter: 9,
} as const;

/**
 * If its stdin is a socket, as Node's pipes are, bash assumes a remote login shell and runs the user's start-up files
 * outside the sandbox. These flags prevent it.
 */
const PLAIN_BASH = ['--norc', '--noprofile'];

/**
 * Joins the cgroups, makes mounts accessible, opens the files, and then replaces itself with the command that
 * follows. Only bash can close inherited descriptors above 9, which would otherwise be passed on.
 */
function outerScript(files: readonly (keyof typeof FILES)[]): string {
  const opened = files.map((name) => `${FILES[name]}${name === STATUS_FILE ? '>' : '<'}${name}`);
  return `set -e
unset PWD OLDPWD
while [ "$1" != -- ]; do echo $$ >"$1"; shift; done; shift
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done; shift
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
if [ -n "$BASH_VERSION" ]; then shopt -s nullglob; for fd in /proc/$$/fd/??*; do eval "exec \${fd##*/}<&-"; done; fi
exec ${opened.join(' ')}
exec "$@"`;
}

export function wrapBubblewrap(
  policy: SandboxPolicy,
  command: InnerCommand,
  facts: SandboxFacts,
  mountLayout: MountLayout,
): Wrapped {
  const { tools } = facts;
  const { sh = '/bin/sh', bwrap = 'bwrap', setpriv = 'setpriv', unshare = 'unshare' } = tools;
  const filter = seccompFilter(facts.arch);
  const { uid, gid } = mountLayout.user;
  const dropRoot =
    facts.uid === 0
      ? [
          setpriv,
          ...groupArgs('--reuid', uid, '--regid', gid, '--clear-groups'),
          ...groupArgs('--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'),
        ]
      : [];
  const stages = [...mountLayout.stages].flat();
  const ownMounts = stages.length > 0 ? [unshare, '--mount', '--propagation', 'private'] : [];
  const hasCgroupLimit = (limit: MountLayout['limited'][number]): boolean =>
    mountLayout.limited.includes(limit);
  const entry = entryArgv(policy, command.argv, {
    rlimits: { memory: !hasCgroupLimit('memory'), pids: !hasCgroupLimit('pids') },
    lifeline: false,
    socket: SOCKET_INSIDE,
    bridge: BRIDGE_INSIDE,
  });
  const bwrapArgs = [
    ...layout(policy, facts, mountLayout),
    ...(filter === undefined ? [] : ['--seccomp', '9']),
  ];
  const files = scratchFiles(bwrapArgs, filter, policy.network.kind !== 'none');
  return {
    backend: 'bubblewrap',
    argv: [
      ...ownMounts,
      ...(tools.bash === undefined ? [sh] : [tools.bash, ...PLAIN_BASH]),
      ...groupArgs('-c', outerScript(files.map(({ name }) => name)), 'supervisor-sandbox'),
      ...groupArgs(...mountLayout.joins, '--', ...stages, '--'),
      ...dropRoot,
      ...groupArgs(bwrap, '--args', FILES.args, '--', ...entry),
    ],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    cwd: mountLayout.scratch,
    files,
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    enforced: enforced(policy, mountLayout, filter !== undefined),
    container: null,
  };
}

function scratchFiles(
  bwrapArgs: readonly string[],
  filter: Uint8Array | undefined,
  hasBridge: boolean,
): readonly (ScratchFile & { readonly name: keyof typeof FILES })[] {
  const id = `${USER_INSIDE}:${USER_INSIDE}`;
  return [
    {
      name: 'passwd',
      data: `agent:x:${id}:agent:${HOME_INSIDE}:/bin/sh\nnobody:x:65534:65534:::\n`,
    },
    { name: 'group', data: `agent:x:${USER_INSIDE}:\nnogroup:x:65534:\n` },
    { name: 'hosts', data: '127.0.0.1 localhost\n::1 localhost\n' },
    ...(hasBridge ? [{ name: 'bridge', data: BRIDGE_PROGRAM } as const] : []),
    { name: STATUS_FILE, data: '' },
    // As a file and not as arguments: other users can read arguments, and this contains the environment.
    { name: 'args', data: bwrapArgs.map((arg) => `${arg}\0`).join('') },
    ...(filter === undefined ? [] : [{ name: 'filter', data: filter } as const]),
  ];
}

/** The order matters: a later mount covers an earlier one. */
function layout(
  policy: SandboxPolicy,
  facts: SandboxFacts,
  mountLayout: MountLayout,
): readonly string[] {
  const { env, home, cwd, limits, network } = policy;
  const tmpBytes = String(limits.tmpBytes);
  const from = (path: string): string => mountLayout.stages.get(path) ?? path;
  return [
    ...groupArgs(
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--die-with-parent',
      '--new-session',
    ),
    ...groupArgs('--uid', USER_INSIDE, '--gid', USER_INSIDE, '--hostname', 'sandbox'),
    ...groupArgs('--cap-drop', 'ALL', '--clearenv', '--json-status-fd', FILES.status),
    ...groupArgs('--ro-bind', '/usr', '/usr'),
    ...facts.rootFolders.flatMap((folder) =>
      folder.kind === 'link'
        ? ['--symlink', folder.target, folder.path]
        : ['--ro-bind', folder.path, folder.path],
    ),
    ...groupArgs('--dir', '/etc', ...facts.etc.flatMap((path) => ['--ro-bind', path, path])),
    ...data('passwd', '/etc/passwd'),
    ...data('group', '/etc/group'),
    ...data('hosts', '/etc/hosts'),
    ...groupArgs('--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'),
    ...groupArgs('--size', SHARED_MEMORY_BYTES, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'),
    ...groupArgs(
      '--perms',
      '1777',
      '--size',
      tmpBytes,
      '--tmpfs',
      '/tmp',
      '--symlink',
      '../tmp',
      '/var/tmp',
    ),
    ...groupArgs('--size', SMALL_BYTES, '--tmpfs', '/run'),
    ...(home === null ? ['--perms', '0700', '--size', tmpBytes, '--tmpfs', HOME_INSIDE] : []),
    ...policyMounts(policy).flatMap(({ from: source, to, mode }) => [
      mode === 'ro' ? '--ro-bind' : '--bind',
      from(source),
      to,
    ]),
    ...(network.kind === 'none'
      ? []
      : [
          ...groupArgs('--ro-bind', from(network.socket), SOCKET_INSIDE),
          ...data('bridge', BRIDGE_INSIDE),
          ...groupArgs('--ro-bind', from(facts.node), NODE_INSIDE),
        ]),
    ...groupArgs('--remount-ro', '/run', '--remount-ro', '/'),
    ...Object.entries(innerEnv(env, policy)).flatMap((variable) => ['--setenv', ...variable]),
    ...groupArgs('--chdir', cwd),
  ];
}

function data(file: keyof typeof FILES, path: string): readonly string[] {
  return ['--ro-bind-data', String(FILES[file]), path];
}

function innerEnv(env: SandboxPolicy['env'], policy: SandboxPolicy): Record<string, string> {
  return {
    PATH: PATH_INSIDE,
    HOME: HOME_INSIDE,
    USER: 'agent',
    LOGNAME: 'agent',
    LANG: 'C.UTF-8',
    ...networkEnv(policy),
    ...env,
  };
}

function enforced(
  { limits }: SandboxPolicy,
  { limited }: MountLayout,
  hasFilter: boolean,
): Enforced {
  return {
    files: 'namespace',
    network: 'namespace',
    processes: 'namespace',
    user: 'ordinary',
    syscalls: hasFilter ? 'seccomp' : 'none',
    memory: limits.memoryBytes === null ? 'none' : limited.includes('memory') ? 'cgroup' : 'rlimit',
    cpus: limits.cpus !== null && limited.includes('cpus') ? 'cgroup' : 'none',
    pids: limits.pids === null ? 'none' : limited.includes('pids') ? 'cgroup' : 'rlimit',
    disk: limits.diskBytes === null ? 'none' : 'watched',
    tmp: 'sized',
  };
}
