/**
 * A sandboxed environment: a temporary copy of the project, a HOME that is kept for the run, a
 * sandbox around both, and the gateway as the only way out. No change in it reaches the project;
 * the work is committed to a ref.
 */
import { join } from 'node:path';

import { adapterFor } from '../../adapters/adapters.ts';
import type { RunId } from '../../base/ids.ts';
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import type { CallSlots } from '../../gateway/calls/call-slots.ts';
import { firstTimeBudget } from '../../gateway/budget/time-budget.ts';
import type { GatewayProcesses } from '../../gateway/process/gateway-processes.ts';
import { overridingPrices } from '../../prices/user-prices.ts';
import { isLogin } from '../../gateway/network/upstreams.ts';
import { ensurePrivateDir, moveFileAside } from '../../host/files/atomic-files.ts';
import { chownTree, writeOwnedFile } from '../../host/files/tree/chown-tree.ts';
import { canWriteTo } from '../../host/files/path-access.ts';
import { plainFiles } from '../../host/files/plain-files.ts';
import { LetterBox } from '../../host/files/letter-box.ts';
import { OutputFile } from '../../host/output/output-file.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { GATEWAY_PORT, HOME_INSIDE } from '../../sandbox/policy.ts';
import { runPreflightScripts } from '../../sandbox/preflight-scripts.ts';
import type { SandboxIo } from '../../sandbox/run-sandboxed.ts';
import { startSandboxed } from '../../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../../sandbox/sandbox-user.ts';
import { terminalCommand } from '../../sandbox/terminal-command.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { changeNames } from '../../workspace/tree-entries.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';
import { makeStaging } from '../collect-artifacts.ts';
import { outputName } from '../../attempts/output-name.ts';
import type { AgentFolders } from './agent-policy.ts';
import { agentPolicy } from './agent-policy.ts';
import { agentHome, copyConversation, folderOfConversation } from './continued-home.ts';
import { configCopy } from './config-copy.ts';
import { findCredentials } from '../model-gateway/find-credentials.ts';
import { findInstallation } from './installation.ts';
import { commitNote } from '../commit-note.ts';
import { modelLimits } from '../model-gateway/model-limits.ts';
import { openGateway } from '../model-gateway/model-gateway.ts';
import type { MessageChannel } from '../messages/message-channel.ts';
import type { Receipts } from '../messages/receipts.ts';
import { gatewayChannel, mailboxChannel } from '../messages/sandbox-channels.ts';
import { notStarted } from './not-started.ts';
import { unwrapNpx } from './npx.ts';
import type {
  AttemptEnvironment,
  CommittedTree,
  ExecutionHost,
  PromptedInvocation,
  RunningAgent,
  OutputStreams,
} from './environment.ts';
import { workspacePortsFor } from './environment.ts';
import { grantedTo, prepareWorkspace } from './prepare-tree.ts';
import type { BudgetsForRun } from '../model-gateway/run-budgets.ts';
import type { RunWorkspacePorts } from './run-workspace.ts';
import { runWorkspace } from './run-workspace.ts';
import { secretValues } from './agent-secrets.ts';
import type { OnActivity } from '../report-activity.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { AttemptInput } from '../../protocol/contracts/attempt-contract.ts';

export type SandboxedPorts = ExecutionHost &
  RunWorkspacePorts & {
    readonly gateways: Pick<GatewayProcesses, 'take'>;
    readonly callSlotsFor: (project: string, callsMax: number) => CallSlots;
    readonly budgetsForRun: BudgetsForRun;
    /** Resolves when the run is not paused, or when the signal aborts. */
    readonly waitWhilePaused: (run: RunId, signal: AbortSignal) => Promise<void>;
    readonly outputDir: (run: string) => Promise<string>;
    readonly onActivity?: OnActivity;
  };

/** The file must be larger than the recording, so that the whole recording fits into the part that is never dropped. */
const RECORDING_FILE_FACTOR = 3;
const PROMPT_FILE = '.supervisor-prompt.md';
export async function sandboxedEnvironment(
  request: CommandRequest<'attempt'>,
  input: AttemptInput,
  note: CommandContext<'attempt'>['note'],
  ports: SandboxedPorts,
  cancelSignal: AbortSignal,
): Promise<AttemptEnvironment> {
  const { agent } = input;
  const { sandbox } = input;
  const { gateway: pinnedGateway, budget } = { ...defaultSettings, ...input };
  // Prices are read for each attempt, so that a person can set one while the run waits for it.
  const prices = [...pinnedGateway.prices, ...(await overridingPrices(ports.stateDir))];
  const gatewaySettings = { ...pinnedGateway, prices };
  const { backend } = await ports.chooseBackend({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe: false,
  });
  await using resources = new AsyncDisposableStack();
  const credentials = await findCredentials(agent, ports);
  const record = await openCallRecording(request, gatewaySettings.recordBytesMax, ports, resources);
  const budgets = await ports.budgetsForRun(request.run, input.project, budget);
  const gateway = resources.use(
    await openGateway(
      {
        cli: agent.cli,
        model: agent.model ?? null,
        settings: gatewaySettings,
        upstreams: credentials.upstreams,
        slots: ports.callSlotsFor(input.project, gatewaySettings.callsPerProject),
        replaceable: input.replaceable ?? true,
        budget,
        budgets,
        mayCall: (signal) => ports.waitWhilePaused(request.run, signal),
        secrets: [...secretValues(agent), ...credentials.secrets],
        record,
        note,
        hosts: sandbox.hosts,
        onActivity: (activity) => ports.onActivity?.(request.run, activity),
      },
      ports,
    ),
  );
  const git = workspacePortsFor(ports, request);
  const { stateDir } = ports;
  const cancellable = { ...git, signal: cancelSignal };
  const workspace = await runWorkspace(request.run, { ...input, sandbox }, ports, cancellable);
  resources.defer(() => workspace.release());
  const granted = grantedTo(sandbox, { ...ports, root: workspace.record.root });
  const setup = input.setupKey ?? null;
  await prepareWorkspace(workspace, { stateDir, setup, granted });
  const home = agentHome(stateDir, request.run, agent);
  const shown = folderOfConversation(input, workspace, backend);
  const hasConversation = await copyConversation(input, { stateDir, home, shown });
  // If its conversation can't be resumed, the other files of its home may be broken too.
  if (input.why.kind === 'new-session') await moveFileAside(home, `before-${request.key}`);
  await ensurePrivateDir(home);
  const user = sandboxUser(request.run, ports.facts());
  const artifacts = await makeStaging(ports.stateDir, request.run, request.key);
  await chownTree(workspace.work, user);
  await chownTree(artifacts, user);
  const { socket, receipts } = gateway;
  const told = await openMessages(request, agent, ports, receipts, resources);
  // One that is not there cannot be mounted. The merge refuses a change of it all the same.
  const locked = plainFiles(workspace.work, input.locked ?? []);
  const prepared = { granted, setup, mailbox: told.mailbox, locked };
  const folders: AgentFolders = {
    request,
    input,
    backend,
    workspace,
    cwd: shownCwd(workspace, shown),
    shown: shown ?? workspace.work,
    home,
    artifacts,
    user,
    socket,
    ...prepared,
  };
  const ownedResources = resources.move();
  const homeInside = backend === 'seatbelt' ? home : HOME_INSIDE;
  return {
    redactor: gateway.redactor,
    agentBrief: {
      agent: { ...agent, configDir: null }, // the text files of that folder are copied into its home
      workspace: folders.cwd,
      home: homeInside,
      promptFile: `${homeInside}/${PROMPT_FILE}`,
      mailbox: told.mailbox,
      gateway: {
        baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`,
        token: gateway.token,
        login: isLogin(credentials.upstreams),
      },
      limits: modelLimits(agent.model ?? null, gatewaySettings.prices),
      contained: true,
    },
    tree: { folder: workspace.work, copyOf: workspace.record.root },
    ...(hasConversation ? {} : { lacksConversation: true as const }),
    messages: told.channel,
    receipts,
    ...(credentials.login === undefined ? {} : { login: credentials.login }),
    calls: gateway.calls,
    seesEveryCall: sandbox.hosts.length === 0,
    giveUpSignal: gateway.giveUpSignal,
    timeBudget: () => firstTimeBudget(budgets.pools),
    gatewayFailure: gateway.failure,
    isReadOnly: () => !canWriteTo(workspace.work, user),
    start: (invocation, streams, cancelSignal) =>
      startAgent(folders, invocation, streams, ports, cancelSignal),
    commitWork: (signal) => commitTo(workspace, { ...git, signal }),
    [Symbol.asyncDispose]: () => ownedResources.disposeAsync(),
  };
}

/** The mailbox is beside the home of the agent, where only Supervisor writes, and is deleted with the environment. */
async function openMessages(
  { run, key }: CommandRequest,
  agent: AgentSpec,
  { stateDir }: Pick<SandboxedPorts, 'stateDir'>,
  receipts: Receipts,
  resources: AsyncDisposableStack,
): Promise<{ readonly channel: MessageChannel | null; readonly mailbox: string | null }> {
  const way = adapterFor(agent)?.messages?.(agent) ?? null;
  if (way === null) return { channel: null, mailbox: null };
  if (way.channel === 'gateway') return { channel: gatewayChannel(receipts), mailbox: null };
  const mailbox = resources.use(
    await LetterBox.create(join(stateDir, 'homes', run, `.mailbox-${key}`)),
  );
  for (const [name, text] of Object.entries(way.files)) await mailbox.put(name, text);
  return { channel: mailboxChannel(way, mailbox, receipts), mailbox: mailbox.path };
}

/** Opens the recording of the attempt's model calls. It is closed after the gateway, with the environment. */
async function openCallRecording(
  { run, key }: CommandRequest,
  bytesMax: number,
  { outputDir }: Pick<SandboxedPorts, 'outputDir'>,
  resources: AsyncDisposableStack,
): Promise<((bytes: Uint8Array) => Promise<void>) | null> {
  if (bytesMax === 0) return null;
  // The gateway limits the recording itself, because a file that drops its middle would cut lines in two.
  const name = outputName(key, 'calls');
  const file = await OutputFile.open(await outputDir(run), name, RECORDING_FILE_FACTOR * bytesMax);
  resources.defer(async () => void (await file.close()));
  return async (bytes) => file.write(bytes);
}

async function startAgent(
  folders: AgentFolders,
  invocation: PromptedInvocation,
  streams: OutputStreams,
  ports: SandboxedPorts,
  cancelSignal: AbortSignal,
): Promise<RunningAgent> {
  const { request, input, backend, home, user } = folders;
  const config = await configCopy(input.agent);
  const files = { ...config, ...invocation.files };
  for (const [path, text] of Object.entries(files)) await writeOwnedFile(home, path, text);
  if (invocation.wantsPromptFile) await writeOwnedFile(home, PROMPT_FILE, invocation.prompt);
  await chownTree(home, user);
  const hasImage = backend === 'docker' || backend === 'podman';
  const unwrapped = unwrapNpx(invocation.argv, input.project, ports.env);
  if (unwrapped.kind === 'missing' && !hasImage)
    return notStarted(backend, 'ENOENT', unwrapped.message);
  const [name, ...args] = unwrapped.kind === 'missing' ? invocation.argv : unwrapped.argv;
  const installed = findInstallation(name, ports.env);
  if (installed === undefined && !hasImage)
    return notStarted(backend, 'ENOENT', `${name} is not installed, or not in your PATH`);
  // An image may have programs that this machine lacks, and has its own system folders.
  const isInImage = installed === undefined || (hasImage && installed.isOfSystem);
  const started = [isInImage ? name : installed.program, ...args];
  const { terminal: size } = invocation;
  if (size !== undefined && backend === 'seatbelt')
    return notStarted(backend, 'TERMINAL', 'a takeover needs bubblewrap, docker or podman');
  const argv = size === undefined ? started : terminalCommand(started, size);
  const keepsStdin = size !== undefined;
  const io: SandboxIo = { tag: ports.tagOf(request.run, request.key), ...streams, keepsStdin };
  const { clock, random, userDir, stateDir } = ports;
  const facts = ports.facts();
  const { mailbox } = folders;
  const readable = mailbox === null ? [] : [mailbox];
  const shared = [folders.workspace.work, home, folders.artifacts, ...readable];
  const sandboxPorts = {
    clock,
    random,
    facts,
    backend,
    user,
    protectedPaths: { userDir, stateDir, shared },
  };
  const policy = agentPolicy(folders, invocation, installed, ports);
  const { preflight, hosts } = input.sandbox;
  const ready = await runPreflightScripts(policy, preflight, sandboxPorts, io, cancelSignal);
  if (ready.kind === 'failed' && !cancelSignal.aborted)
    return notStarted(backend, 'PREFLIGHT', `the preflight script ${ready.script} failed`);
  const command = await startSandboxed(policy, { argv, stdin: invocation.stdin }, sandboxPorts, io);
  const ended = command.result.then(({ exit, oom, endedBy }) => ({
    exit,
    container: {
      oomKilled: oom === true,
      lost: false,
      startError: exit.kind === 'not-started' ? exit.message : null,
      ...(endedBy === 'disk-limit' ? { overLimit: 'disk' as const } : {}),
      ...(endedBy === 'disk-full' ? { overLimit: 'free-space' as const } : {}),
    },
  }));
  ended.catch(() => undefined); // the caller awaits it, maybe later
  return {
    pid: command.leader?.pid ?? null,
    sandboxNote: {
      sandbox: command.backend,
      enforced: command.enforced,
      container: command.container,
      ...(folders.setup === null ? {} : { setup: folders.setup }),
      ...(hosts.length === 0 ? {} : { hosts: [...hosts] }),
      ...(Object.keys(config).length === 0
        ? {}
        : { config: [...changeNames(Object.keys(config)).names] }),
      ...(folders.granted.record.length === 0 ? {} : { granted: [...folders.granted.record] }),
    },
    ended,
    stop: (graceMs, askSignal) => command.stop(graceMs, askSignal),
    kill: () => command.kill(),
    ...(size === undefined ? {} : { terminal: command }),
  };
}

function shownCwd({ work, cwd }: Workspace, shown: string = work): string {
  return `${shown}${cwd.slice(work.length)}`;
}

async function commitTo({ id }: Workspace, ports: WorkspacePorts): Promise<CommittedTree> {
  return commitNote(id, await commitWorkspace(id, ports));
}
