/**
 * Where an attempt runs: what the agent sees there, how it starts, and which of its work is saved.
 * `bare` is the user's own folder, for scripted agents and for users who asked for no sandbox.
 * Every other agent is contained.
 */
import { join } from 'node:path';
import type { AgentBrief, ProcessExit, Invocation } from '../../adapters/adapter.ts';
import type { Clock } from '../../base/clock.ts';

import type { Random } from '../../base/random.ts';
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import { ensurePrivateDir, writeFileAtomic } from '../../host/files/atomic-files.ts';
import type { OutputSink } from '../../host/process/output-drain.ts';
import type { CancelSignal } from '../../host/process/process-group.ts';
import { canWrite } from '../../host/files/path-access.ts';
import { ProcessGroup } from '../../host/process/process-group.ts';
import type { ProxyNetwork } from '../../gateway/network/connect-proxy.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { BackendChoice, BackendRequest } from '../../sandbox/choose-backend.ts';
import type { SandboxFacts } from '../../sandbox/sandbox-facts.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';
import { ARTIFACTS_VARIABLE, makeStaging } from '../collect-artifacts.ts';
import type { ContainerState, ModelCall } from '../../failures/evidence.ts';
import { agentRedactor, secretValues } from './agent-secrets.ts';
import type { WorkTree } from '../report-activity.ts';
import type { AttemptInput, CommitNote, StartedNote } from '../../protocol/attempt-contract.ts';

export type EndedAgent = { readonly exit: ProcessExit; readonly container: ContainerState | null };

/** An agent at work. It is stopped, killed and awaited in the same words wherever it is. */
export type RunningAgent = {
  readonly pid: number | null;
  /** For the record: which sandbox holds it, and to what. */
  readonly held: Omit<StartedNote, 'kind' | 'pid'>;
  readonly ended: Promise<EndedAgent>;
  readonly stop: (graceMs: number, askSignal: CancelSignal) => Promise<unknown>;
  readonly kill: () => Promise<void>;
};

export type OutputStreams = { readonly onStdout: OutputSink; readonly onStderr: OutputSink };

/** What was kept of an attempt, for the record. */
export type CommittedTree = {
  /** By this attempt: what an earlier one has left in the same tree is not its doing. */
  readonly changed: boolean;
  readonly note: CommitNote;
  /** All that differs from what the run began with, for those who watch; the note names only some. */
  readonly paths: readonly string[];
};

export type AttemptEnvironment = AsyncDisposable & {
  /** Takes out of what is kept whatever the agent must not have told; null where it knows nothing. */
  readonly redactor: Redactor | null;
  readonly seen: Pick<
    AgentBrief,
    'agent' | 'workspace' | 'home' | 'promptFile' | 'gateway' | 'limits' | 'contained'
  >;
  readonly tree: WorkTree;
  /** The model calls of an agent that has ended, once each of them is known to be over. */
  readonly calls: () => Promise<readonly ModelCall[]>;
  /** Whether it can reach a model in no other way than through those. */
  readonly watched: boolean;
  /** Aborts when a provider has reported something that no retry of the agent fixes. */
  readonly hopeless: AbortSignal;
  /** Why the gateway ended before the attempt did; null where it has not, or there is none. */
  readonly gatewayFailure: () => string | null;
  /** Whether the agent's user may not write to the working folder, as it is now. */
  readonly isClosed: () => boolean;
  /** Once `cancelSignal` aborts, what has to be done before is cut short. */
  readonly start: (
    invocation: Invocation,
    streams: OutputStreams,
    cancelSignal: AbortSignal,
  ) => Promise<RunningAgent>;
  /** Null where the work was done in the project itself. */
  readonly keep: (signal: AbortSignal) => Promise<CommittedTree | null>;
};

/** Makes the place of one attempt. Refuses what this machine or the user's tree does not allow. */
export type EnvironmentFor = (
  order: CommandRequest<'attempt'>,
  input: AttemptInput,
  note: CommandContext<'attempt'>['note'],
) => Promise<AttemptEnvironment>;

/** The machine and the owner, as every environment needs them: of an attempt, a gate or a setup. */
export type ExecutionHost = {
  readonly clock: Clock;
  readonly random: Random;
  /** The folder of our own state, and a short private folder for sockets. */
  readonly stateDir: string;
  readonly socketDir: string;
  /** Keeps apart what belongs to different homes. */
  readonly homeId: string;
  /** The user's own home. A sandbox shows nothing of it. */
  readonly userDir: string;
  /** The environment that programs get: enough to find other programs, and no secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** The whole environment with its keys, for the gateway and the registry proxy alone. */
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
  readonly facts: () => SandboxFacts;
  readonly git: string;
  /** Labels a sandbox with home, owner, run and command. */
  readonly placeIdOf: (run: string, key: string) => string;
  /** Names every process of one command, so that it is found whatever its parent is. */
  readonly tagOf: (run: string, key: string) => string;
  readonly choose: (request: BackendRequest) => Promise<BackendChoice>;
  readonly network: ProxyNetwork;
};

/** What operations on the workspace of one command need. */
export function workspacePortsFor(
  { git, clock, tagOf, userDir }: Pick<ExecutionHost, 'git' | 'clock' | 'tagOf' | 'userDir'>,
  { run, key }: Pick<CommandRequest, 'run' | 'key'>,
): WorkspacePorts {
  return { git, clock, tag: tagOf(run, key), userHome: userDir };
}

export type UnsandboxedPorts = Pick<ExecutionHost, 'clock' | 'env' | 'tagOf'> & {
  /** Without it an agent gets no folder for artifacts and no prompt file. */
  readonly stateDir?: string;
};

export function unsandboxedEnvironment(
  order: CommandRequest<'attempt'>,
  input: AttemptInput,
  ports: UnsandboxedPorts,
): AttemptEnvironment {
  const { clock, env, tagOf, stateDir } = ports;
  const own = stateDir === undefined ? '' : join(stateDir, 'homes', order.run);
  const promptFile = own === '' ? '' : join(own, `${order.key}.prompt.md`);
  const secrets = secretValues(input.agent);
  const isOurs = input.agent.cli === 'scripted' && secrets.length === 0;
  return {
    redactor: isOurs ? null : agentRedactor(secrets),
    seen: {
      agent: input.agent,
      workspace: input.project,
      home: null,
      promptFile,
      gateway: null,
      limits: null,
      // Without a sandbox the agent must approve its own tools: no person is there to be asked.
      contained: input.unsafe === true,
    },
    tree: { folder: input.project, copyOf: input.project },
    calls: async () => [],
    watched: false,
    hopeless: new AbortController().signal,
    gatewayFailure: () => null,
    isClosed: () => !canWrite(input.project),
    start: async (invocation, streams) => {
      if (invocation.wantsPromptFile && promptFile !== '') {
        await ensurePrivateDir(own);
        await writeFileAtomic(promptFile, input.prompt);
      }
      const handsOver: Record<string, string> =
        stateDir === undefined
          ? {}
          : { [ARTIFACTS_VARIABLE]: await makeStaging(stateDir, order.run, order.key) };
      const group = new ProcessGroup(
        {
          argv: invocation.argv,
          cwd: input.project,
          env: { ...env, ...invocation.env, ...input.agent.env, ...handsOver },
          stdin: invocation.stdin,
        },
        { tag: tagOf(order.run, order.key), clock, ...streams },
      );
      const ended = group.ended.then((exit) => ({ exit, container: null }));
      ended.catch(() => undefined); // the caller awaits it, maybe later
      return {
        pid: group.leader?.pid ?? null,
        held: { sandbox: 'none' },
        ended,
        stop: (graceMs, askSignal) => group.stop(graceMs, askSignal),
        kill: () => group.kill(),
      };
    },
    keep: async () => null,
    [Symbol.asyncDispose]: async () => {},
  };
}
