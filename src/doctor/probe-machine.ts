import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { diskSpace } from '../host/files/disk-space.ts';
import { inspectFolder } from '../host/files/usable-folder.ts';
import { thisMachine, trySqlite } from '../host/machine/machine.ts';
import { readOsRelease } from '../host/machine/os-release.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { which } from '../host/process/which.ts';
import type { Home } from '../host/machine/state-home.ts';
import { checkDatabase } from '../store/postgres/check-database.ts';
import { checkJournal } from '../store/sqlite/check-journal.ts';
import { missingKeys } from '../gateway/network/upstreams.ts';
import type { AgentSettings } from '../settings/agent-config.ts';
import { defined } from '../base/defined.ts';
import type { AgentCli, CliEnvironment } from './supported-clis.ts';
import { AGENT_CLI_FACTS, envSetting } from './supported-clis.ts';
import type {
  ProbeAnswer,
  SandboxTrial,
  MachineFacts,
  NamespaceSwitches,
  ProbeTrial,
} from './machine-facts.ts';
import { probeLogins } from './probe-logins.ts';
import { probeOwnAgents } from './probe-own-agents.ts';
import type { ProgramPorts } from './probe-program.ts';
import { probeProgram } from './probe-program.ts';

export type ProbePorts = ProgramPorts & {
  /** The home folder of the user, where CLIs keep their logins. */
  readonly userDir: string;
  /** The folder of Supervisor's state, which may not exist yet. */
  readonly stateDir: string;
  /** Tests bubblewrap with canary probes. Absent if only versions should be read. */
  readonly trySandbox?: () => Promise<SandboxTrial>;
  /** The agents that settings declare, and the project in which `./agent.sh` is searched. */
  readonly declared?: readonly AgentSettings[];
  readonly project?: string;
  /** The home, to read all of its journal. Absent if that would take too long. */
  readonly home?: Pick<Home, 'dir' | 'journal' | 'database'>;
};

const AT_ONCE_MAX = 4;
/** The user `nobody`, who owns no files. Root tests its sandbox as this user. */
const NOBODY_UID = '65534';

/** The gateway uses the key of a provider, even if the CLI itself reads it from another variable. */
function withProviderKeys(known: AgentCli): AgentCli {
  const variables = [...new Set([...known.variables, ...missingKeys(known.cli, {})])];
  return { ...known, variables };
}

type Ask = (...argv: readonly [string, ...string[]]) => Promise<ProbeAnswer>;

/**
 * Collects facts about everything that Supervisor can use on this machine. Installs and changes nothing, and
 * reveals no secret. If something can't be read, that is a fact too. Only an abort makes this fail.
 */
export async function probeMachine(ports: ProbePorts, signal?: AbortSignal): Promise<MachineFacts> {
  const { clock, env, userDir, stateDir } = ports;
  const machine = thisMachine();
  const limit = new ConcurrencyLimit(AT_ONCE_MAX);
  const ask: Ask = (...argv) => limit.run(() => probeProgram(argv, ports, signal));
  const isMac = machine.platform === 'darwin';
  const isRoot = machine.uid === 0;

  const [git, bubblewrap, docker, podman, seatbelt, agents] = await Promise.all([
    ask('git', '--version'),
    probeBubblewrap(ask, env, isRoot),
    ask('docker', 'version', '--format', DOCKER_VERSIONS),
    probePodman(ask),
    isMac ? ask('sandbox-exec', '-p', '(version 1)(allow default)', 'true') : ABSENT,
    Promise.all(
      AGENT_CLI_FACTS.map(async (known) => ({
        cli: known.cli,
        version: await ask(known.cli, '--version'),
        logins: await probeLogins(withProviderKeys(known), userDir, env),
      })),
    ),
  ]);
  signal?.throwIfAborted();
  const canTry = bubblewrap.trial?.kind === 'ended' && bubblewrap.trial.ok;
  const folder = await inspectFolder(stateDir);
  return {
    ...machine,
    at: clock.now(),
    os: await readOsRelease(),
    container: await probeContainer(env),
    ci: findCi(env),
    hasSystemd: (await inspectFolder('/run/systemd/system')).kind === 'there',
    sqlite: await trySqlite(),
    git,
    namespaces: await probeNamespaces(),
    bubblewrap,
    hold: canTry ? ((await ports.trySandbox?.()) ?? null) : null,
    docker,
    podman,
    seatbelt,
    agents,
    ownAgents: await probeOwnAgents(ports.declared ?? [], {
      ...{ userDir, env, clis: AGENT_CLI_FACTS.map(withProviderKeys) },
      ...defined({ project: ports.project }),
    }),
    state: { ...folder, path: stateDir, disk: await diskSpace(folder.nearest) },
    journal: ports.home === undefined ? null : checkJournal(ports.home.journal),
    ...defined({
      database: ports.home === undefined ? undefined : await checkDatabase(ports.home),
    }),
  };
}

const ABSENT: ProbeAnswer = { kind: 'absent' };
const DOCKER_VERSIONS = '{{.Client.Version}}{{if .Server}} with {{.Server.Version}}{{end}}';

/** Starts a real sandbox, because a kernel may refuse it although bubblewrap is installed. */
async function probeBubblewrap(
  ask: Ask,
  env: CliEnvironment,
  isRoot: boolean,
): Promise<ProbeTrial> {
  const version = await ask('bwrap', '--version');
  if (version.kind === 'absent') return { version, trial: null };
  const trial = [version.path, '--ro-bind', '/', '/', '--unshare-all', 'true'] as const;
  if (!isRoot) return { version, trial: await ask(...trial) };
  if (which('setpriv', env) === undefined) return { version, trial: null };
  const asNobody = [
    '--reuid',
    NOBODY_UID,
    '--regid',
    NOBODY_UID,
    '--clear-groups',
    '--no-new-privs',
  ];
  return { version, trial: await ask('setpriv', ...asNobody, ...trial) };
}

async function probePodman(ask: Ask): Promise<ProbeTrial> {
  const version = await ask('podman', '--version');
  if (version.kind === 'absent') return { version, trial: null };
  return { version, trial: await ask('podman', 'info', '--format', '{{.Host.Security.Rootless}}') };
}

async function probeNamespaces(): Promise<NamespaceSwitches> {
  const [apparmor, users, max] = await Promise.all(
    [
      'kernel/apparmor_restrict_unprivileged_userns',
      'kernel/unprivileged_userns_clone',
      'user/max_user_namespaces',
    ].map(async (name) => {
      const file = await readSmallFile(`/proc/sys/${name}`, 64);
      return file.kind === 'text' ? Number(file.text) : null;
    }),
  );
  return {
    apparmorRestricts: asSwitch(apparmor),
    usersMay: asSwitch(users),
    max: max ?? null,
  };
}

function asSwitch(value: number | null | undefined): boolean | null {
  return value === null || value === undefined ? null : value !== 0;
}

async function probeContainer(env: CliEnvironment): Promise<string | undefined> {
  const marks = [
    ['/run/.containerenv', 'podman'],
    ['/.dockerenv', 'docker'],
  ] as const;
  for (const [path, name] of marks) {
    if ((await readSmallFile(path, 65_536)).kind !== 'absent') return name;
  }
  if (envSetting(env, 'KUBERNETES_SERVICE_HOST') !== undefined) return 'kubernetes';
  return envSetting(env, 'container');
}

function findCi(env: CliEnvironment): string | undefined {
  const known = [
    ['GITHUB_ACTIONS', 'GitHub Actions'],
    ['GITLAB_CI', 'GitLab CI'],
    ['BUILDKITE', 'Buildkite'],
    ['CIRCLECI', 'CircleCI'],
    ['JENKINS_URL', 'Jenkins'],
    ['CI', 'a CI system'],
  ] as const;
  const isSet = (name: string): boolean =>
    ![undefined, 'false', '0'].includes(envSetting(env, name));
  return known.find(([name]) => isSet(name))?.[1];
}
