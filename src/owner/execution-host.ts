/**
 * The environment in which the attempts of one owner run. The sandbox backend is chosen once, when
 * it is first needed.
 */
import type { EnvironmentFor, ExecutionHost } from '../execution/environments/environment.ts';
import { unsandboxedEnvironment } from '../execution/environments/environment.ts';
import { copiedEnvironment } from '../execution/environments/copied-environment.ts';
import { worksInProject } from '../attempts/choice/works-in-project.ts';
import type { SandboxedPorts } from '../execution/environments/sandboxed-environment.ts';
import { sandboxedEnvironment } from '../execution/environments/sandboxed-environment.ts';
import type { RunWorkspacePorts } from '../execution/environments/run-workspace.ts';
import { gatewayProgram } from '../execution/model-gateway/gateway-program.ts';
import type { TimeBudget } from '../gateway/budget/time-budget.ts';
import { firstTimeBudget } from '../gateway/budget/time-budget.ts';
import { CallSlots } from '../gateway/calls/call-slots.ts';
import { machineNetwork } from '../gateway/network/machine-network.ts';
import { GatewayProcesses } from '../gateway/process/gateway-processes.ts';
import { needsSandboxRefusal } from '../attempts/choice/run-agents.ts';
import { findCgroups } from '../host/process/cgroup.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import { processScopedName } from '../host/files/process-scoped-name.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { which } from '../host/process/which.ts';
import type { BackendChoice, BackendRequest } from '../sandbox/choose-backend.ts';
import { canaryMemory, chooseBackend } from '../sandbox/choose-backend.ts';
import { NAME_PREFIX } from '../sandbox/prepare-mounts.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import type { RunId } from '../base/ids.ts';
import type { RunEnvironments } from './credentials/run-environments.ts';
import { withPath } from './credentials/run-path.ts';
import { recordContainerEngine } from './known-container-engines.ts';
import type { AttemptInput } from '../protocol/contracts/attempt-contract.ts';
import type { OwnerOptions } from './owner-options.ts';
import type { Pauses } from './pauses.ts';
import { ownerTag } from './owner-state.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';

const MEMORY_BYTES_MAX = 65_536;

type SharedPorts = Pick<
  SandboxedPorts,
  'budgetsForRun' | 'outputDir' | 'onActivity' | 'gateways'
> & {
  readonly pauses: Pauses;
  readonly environments: RunEnvironments;
  /** The PATH of the shell that submitted a run; undefined: that of the owner. */
  readonly pathOf: (run: RunId) => Promise<string | undefined>;
};

/** The facts about this machine and this owner that every environment needs. */
export function executionHost(options: OwnerOptions): ExecutionHost {
  const { home, ownerId, clock, random, agentEnv, env } = options;
  const tag = ownerTag(options);
  const { read: facts, forget } = remembered(() => probeFacts(env));
  return {
    clock,
    random,
    stateDir: home.dir,
    homeId: home.id,
    sandboxLabel: (run, key) => `${home.id}/${ownerId}/${run}/${key}`,
    userDir: userDir(options),
    env: agentEnv,
    facts,
    git: gitPorts(options),
    tagOf: (run, key) => `${tag}/${run}/${key}`,
    chooseBackend: backendChooser(options, tag, facts, forget),
    socketDir: home.socketDir,
    ownerEnv: env,
    network: machineNetwork,
  };
}

/** The gateway processes of one owner. */
export function gatewayProcesses(options: OwnerOptions): GatewayProcesses {
  const { clock, node, env } = options;
  const tag = ownerTag(options);
  return new GatewayProcesses({
    clock,
    node,
    main: gatewayProgram,
    tagOf: (number) => `${tag}/gateway/${number}`,
    env,
    groups: {
      where: findCgroups(),
      nameOf: (number) => processScopedName(NAME_PREFIX, `gateway-${number}`),
    },
  });
}

/**
 * Scripted agents run in a copy of the project, without a sandbox. Agents of users who asked for no sandbox work in the
 * project itself. All others run in a copy and in a sandbox.
 */
export function attemptEnvironments(
  ownHost: ExecutionHost & RunWorkspacePorts,
  shared: SharedPorts,
): EnvironmentFor {
  const { pauses, budgetsForRun, outputDir, onActivity, gateways, environments, pathOf } = shared;
  const slots = new Map<string, CallSlots>();
  /** An agent without a gateway spends no money that could be counted, but its time is bound as well. */
  const timeBudgetOf = async (
    run: RunId,
    { project, budget }: AttemptInput,
  ): Promise<() => TimeBudget | undefined> => {
    const { pools } = await budgetsForRun(run, project, budget);
    return () => firstTimeBudget(pools);
  };
  return async (request, input, note, cancelSignal) => {
    const host = {
      ...ownHost,
      env: withPath(ownHost.env, await pathOf(request.run)),
      ownerEnv: environments.credentialsOf(request.run, input.agent),
    };
    const isUnsandboxed = input.agent.cli === 'scripted' || input.unsafe === true;
    if (isUnsandboxed && input.agent.fromProject === true)
      throw needsSandboxRefusal(input.agent.id);
    if (worksInProject(input.agent, input.unsafe)) {
      const credentials = environments.givenTo(request.run, input.agent);
      const environment = unsandboxedEnvironment(request, input, { ...host, credentials });
      return { ...environment, timeBudget: await timeBudgetOf(request.run, input) };
    }
    if (isUnsandboxed) {
      const timeBudget = await timeBudgetOf(request.run, input);
      return { ...(await copiedEnvironment(request, input, host, cancelSignal)), timeBudget };
    }
    const ports: SandboxedPorts = {
      ...host,
      budgetsForRun,
      outputDir,
      gateways,
      ...(onActivity === undefined ? {} : { onActivity }),
      waitWhilePaused: (run, signal) => pauses.wait(run, signal),
      callSlotsFor: (project, callsMax) => {
        const projectSlots = slots.get(project) ?? new CallSlots(callsMax);
        slots.set(project, projectSlots);
        return projectSlots;
      },
    };
    return sandboxedEnvironment(request, input, note, ports, cancelSignal);
  };
}

/** The user's home folder, or the home of Supervisor if HOME is not set. */
export function userDir({ agentEnv, home }: OwnerOptions): string {
  return agentEnv['HOME'] ?? home.dir;
}

function gitPorts({ agentEnv }: OwnerOptions): string {
  return which('git', agentEnv) ?? '/usr/bin/git';
}

/** Ports for operations on workspaces outside of a run. */
export function workspacePorts(options: OwnerOptions): WorkspacePorts {
  const { clock } = options;
  return {
    git: gitPorts(options),
    clock,
    tag: ownerTag(options),
    userHome: userDir(options),
  };
}

/**
 * Remembers the chosen backend. A failed choice is not remembered, nor what it knew of the machine: the user may
 * install a backend meanwhile.
 */
function backendChooser(
  options: OwnerOptions,
  tag: string,
  facts: () => ReturnType<typeof probeFacts>,
  forgetFacts: () => void,
): (request: BackendRequest) => Promise<BackendChoice> {
  const { clock, random, home, version } = options;
  const file = `${home.dir}/sandbox.json`;
  const memory = canaryMemory(
    () => readTextFile(file, MEMORY_BYTES_MAX),
    (text) => writeFileAtomic(file, text),
  );
  const chosen = new Map<string, Promise<BackendChoice>>();
  let tries = 0;
  return (request) => {
    const name = JSON.stringify(request);
    const earlier = chosen.get(name);
    if (earlier !== undefined) return earlier;
    const recorded = recordContainerEngine(home, request);
    const choice = recorded.then(() =>
      chooseBackend(request, {
        clock,
        random,
        facts: facts(),
        protectedPaths: { userDir: userDir(options), stateDir: home.dir },
        // Several probes may run at the same time, so each has its own tag: ending one must not
        // kill another.
        tag: `${tag}/sandbox/${(tries += 1)}`,
        release: version,
        memory,
      }),
    );
    chosen.set(name, choice);
    choice.catch(() => {
      chosen.delete(name);
      forgetFacts();
    });
    return choice;
  };
}

function remembered<Value>(make: () => Value): {
  readonly read: () => Value;
  readonly forget: () => void;
} {
  let made: { readonly value: Value } | undefined;
  return {
    read: () => (made ??= { value: make() }).value,
    forget: () => {
      made = undefined;
    },
  };
}
