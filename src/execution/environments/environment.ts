/**
 * Where an attempt runs: what the agent sees there, how it starts, and which of its work is saved.
 * Agents of users who asked for no sandbox run in the project itself (`unsandboxedEnvironment`). Scripted agents run in
 * a copy (`copiedEnvironment`). Every other agent gets a copy and a sandbox (`sandboxedEnvironment`).
 */
import { join } from 'node:path';
import type { AgentBrief, Invocation } from '../../adapters/adapter.ts';
import type { Clock } from '../../base/clock.ts';

import type { Random } from '../../base/random.ts';
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import { ensurePrivateDir, writeFileAtomic } from '../../host/files/atomic-files.ts';
import type { OutputSink } from '../../host/process/output-drain.ts';
import type { CancelSignal } from '../../host/process/process-group.ts';
import { canWrite } from '../../host/files/path-access.ts';
import { ProcessGroup } from '../../host/process/process-group.ts';
import type { TimeBudget } from '../../gateway/budget/time-budget.ts';
import { readProcessList } from '../../host/process/read-process.ts';
import { resizeTerminal } from '../../host/process/resize-terminal.ts';
import { processStarts } from '../../host/process/process-starts.ts';
import type { ProxyNetwork } from '../../gateway/network/connect-proxy.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { BackendChoice, BackendRequest } from '../../sandbox/choose-backend.ts';
import type { SandboxFacts } from '../../sandbox/sandbox-facts.ts';
import { terminalCommand } from '../../sandbox/terminal-command.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';
import { ARTIFACTS_VARIABLE, makeStaging } from '../collect-artifacts.ts';
import type { MessageChannel } from '../messages/message-channel.ts';
import type { Receipts } from '../messages/receipts.ts';
import type { ModelCall } from '../../failures/evidence.ts';
import type { AttemptRun } from '../attempt-run.ts';
import type { OnPreparing } from './run-workspace.ts';
import { agentRedactor, secretValues } from './agent-secrets.ts';
import type { TerminalSize } from '../../protocol/takeover.ts';
import type { WorkTree } from '../report-activity.ts';
import type { LoginExpiry } from '../../protocol/words/login-expiry.ts';
import type {
  AttemptInput,
  CommitNote,
  StartedNote,
} from '../../protocol/contracts/attempt-contract.ts';

/** With what the agent reads first, for agents that read it from a file. */
export type PromptedInvocation = Invocation & {
  readonly prompt: string;
  /** It gets a terminal of this size, whose keys come from a person. */
  readonly terminal?: TerminalSize;
};

/** The agent's side of the terminal of a person. */
export type AgentTerminal = {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly resize: (size: TerminalSize) => Promise<void>;
};

/** A started agent, with or without a sandbox. */
export type RunningAgent = {
  readonly pid: number | null;
  /** For the journal: which sandbox it runs in, and which limits are enforced. */
  readonly sandboxNote: Omit<StartedNote, 'kind' | 'pid'>;
  readonly ended: Promise<Pick<AttemptRun, 'exit' | 'container'>>;
  readonly stop: (graceMs: number, askSignal: CancelSignal) => Promise<unknown>;
  readonly kill: () => Promise<void>;
  /** Absent: it has no terminal. */
  readonly terminal?: AgentTerminal;
};

export type OutputStreams = { readonly onStdout: OutputSink; readonly onStderr: OutputSink };

/** The commit of an attempt's work. */
export type CommittedTree = {
  /** Whether this attempt changed anything. Changes of earlier attempts in the same tree do not count. */
  readonly changed: boolean;
  readonly note: CommitNote;
  /** All files that differ from the start of the run, for monitors. The note names only some. */
  readonly paths: readonly string[];
};

export type AttemptEnvironment = AsyncDisposable & {
  /** Removes secrets from everything that is stored; null: the agent has no secrets. */
  readonly redactor: Redactor | null;
  /** What the adapter needs to build the agent's command. */
  readonly agentBrief: Pick<
    AgentBrief,
    'agent' | 'workspace' | 'home' | 'promptFile' | 'mailbox' | 'gateway' | 'limits' | 'contained'
  >;
  readonly tree: WorkTree;
  /** The conversation that the attempt continues is not there, so it begins a new one. Absent: it is, or none is continued. */
  readonly lacksConversation?: true;
  /** How messages reach the agent while it works. Null: not at all. */
  readonly messages: MessageChannel | null;
  /** What the gateway sees of messages. Null: there is none. */
  readonly receipts: Pick<Receipts, 'expect'> | null;
  /** The login that pays for its model calls, if it is known when it expires. */
  readonly login?: LoginExpiry;
  /** The model calls of the agent, after its end. Waits a bounded time for calls that are still open. */
  readonly calls: () => Promise<readonly ModelCall[]>;
  /** Whether the agent cannot reach a model except by these calls. */
  readonly seesEveryCall: boolean;
  /** Aborts when no model call of this agent can succeed any more. */
  readonly giveUpSignal: AbortSignal;
  /** The time budget that ends first, as it is now. A person can raise it while the attempt runs. Absent: none. */
  readonly timeBudget?: () => TimeBudget | undefined;
  /** Why the gateway ended before the attempt did; null: it has not, or there is none. */
  readonly gatewayFailure: () => string | null;
  /** Whether the agent's user can't write to the working folder now. */
  readonly isReadOnly: () => boolean;
  /** If `cancelSignal` aborts, the preparations before the start end early. */
  readonly start: (
    invocation: PromptedInvocation,
    streams: OutputStreams,
    cancelSignal: AbortSignal,
  ) => Promise<RunningAgent>;
  /** Null: the agent worked in the project itself. */
  readonly commitWork: (signal: AbortSignal) => Promise<CommittedTree | null>;
};

/** Creates the environment of one attempt. Refuses if this machine or the project does not allow it. */
export type EnvironmentFor = (
  request: CommandRequest<'attempt'>,
  input: AttemptInput,
  note: CommandContext<'attempt'>['note'],
  /** If it aborts, the preparation ends early and refuses with `workspace.interrupted`. */
  cancelSignal: AbortSignal,
) => Promise<AttemptEnvironment>;

/** The machine and the owner, as every environment needs them: of an attempt, a gate or a setup. */
export type ExecutionHost = {
  readonly clock: Clock;
  readonly random: Random;
  /** The folder of the owner's state, and a short private folder for sockets. */
  readonly stateDir: string;
  readonly socketDir: string;
  /** Distinguishes the sandboxes and sockets of different homes. */
  readonly homeId: string;
  /** The user's home folder. It is not visible in a sandbox. */
  readonly userDir: string;
  /** The environment that programs get: enough to find other programs, and no secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** The whole environment with its keys, for the gateway and the registry proxy alone. */
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
  readonly facts: () => SandboxFacts;
  readonly git: string;
  /** The label of a sandbox: home, owner, run and command. */
  readonly sandboxLabel: (run: string, key: string) => string;
  /** The tag of every process of one command, by which it is found whatever its parent is. */
  readonly tagOf: (run: string, key: string) => string;
  readonly chooseBackend: (request: BackendRequest) => Promise<BackendChoice>;
  readonly network: ProxyNetwork;
  readonly onPreparing?: OnPreparing;
};

/** The ports for the workspace of one command. */
export function workspacePortsFor(
  { git, clock, tagOf, userDir }: Pick<ExecutionHost, 'git' | 'clock' | 'tagOf' | 'userDir'>,
  { run, key }: Pick<CommandRequest, 'run' | 'key'>,
): WorkspacePorts {
  return { git, clock, tag: tagOf(run, key), userHome: userDir };
}

export type UnsandboxedPorts = Pick<ExecutionHost, 'clock' | 'env' | 'tagOf'> & {
  /** Without it an agent gets no folder for artifacts and no prompt file. */
  readonly stateDir?: string;
  /** What the agent logs in with: no gateway is there to do it. */
  readonly credentials?: Readonly<Record<string, string>>;
};

export function unsandboxedEnvironment(
  request: CommandRequest<'attempt'>,
  input: AttemptInput,
  ports: UnsandboxedPorts,
  /** Where the agent works. */
  cwd = input.project,
): AttemptEnvironment {
  const { clock, env, tagOf, stateDir, credentials = {} } = ports;
  const folder = stateDir === undefined ? '' : join(stateDir, 'homes', request.run);
  const promptFile = folder === '' ? '' : join(folder, `${request.key}.prompt.md`);
  const secrets = [...secretValues(input.agent), ...secretValues({ env: credentials })];
  const isScripted = input.agent.cli === 'scripted' && secrets.length === 0;
  return {
    redactor: isScripted ? null : agentRedactor(secrets),
    agentBrief: {
      agent: input.agent,
      workspace: cwd,
      home: null,
      promptFile,
      mailbox: null,
      gateway: null,
      limits: null,
      // Without a sandbox the agent must approve its own tools: no person is there to be asked.
      contained: input.unsafe === true,
    },
    tree: { folder: cwd, copyOf: input.project },
    messages: null,
    receipts: null,
    calls: async () => [],
    seesEveryCall: false,
    giveUpSignal: new AbortController().signal,
    gatewayFailure: () => null,
    isReadOnly: () => !canWrite(cwd),
    start: async (invocation, streams) => {
      if (invocation.wantsPromptFile && promptFile !== '') {
        await ensurePrivateDir(folder);
        await writeFileAtomic(promptFile, invocation.prompt);
      }
      const artifactsEnv: Record<string, string> =
        stateDir === undefined
          ? {}
          : { [ARTIFACTS_VARIABLE]: await makeStaging(stateDir, request.run, request.key) };
      const { terminal: size } = invocation;
      const command = {
        argv: size === undefined ? invocation.argv : terminalCommand(invocation.argv, size),
        cwd,
        env: { ...env, ...credentials, ...invocation.env, ...input.agent.env, ...artifactsEnv },
        stdin: invocation.stdin,
      };
      const tag = tagOf(request.run, request.key);
      const options = { tag, clock, ...streams, keepsStdin: size !== undefined };
      const group = await processStarts.run(() => new ProcessGroup(command, options));
      const ended = group.ended.then((exit) => ({ exit, container: null }));
      ended.catch(() => undefined); // the caller awaits it, maybe later
      return {
        pid: group.leader?.pid ?? null,
        sandboxNote: { sandbox: 'none' },
        ended,
        stop: (graceMs, askSignal) => group.stop(graceMs, askSignal),
        kill: () => group.kill(),
        ...(size === undefined
          ? {}
          : {
              terminal: {
                write: (bytes) => group.write(bytes),
                resize: (to) =>
                  resizeTerminal(
                    readProcessList(() => group.members()),
                    to,
                    {
                      clock,
                      tag: `${tag}.resize`,
                    },
                  ),
              },
            }),
      };
    },
    commitWork: async () => null,
    [Symbol.asyncDispose]: async () => {},
  };
}
