/**
 * A sandboxed environment: a temporary copy of the project, a HOME that is kept for the run, a
 * sandbox around both, and the gateway as the only way out. No change in it reaches the project;
 * the work is committed to a ref.
 */
import { join } from 'node:path';
import type { Invocation } from '../../adapters/adapter.ts';

import type { RunId } from '../../base/ids.ts';
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import type { CallSlots } from '../../gateway/calls/call-slots.ts';
import type { GatewayProcesses } from '../../gateway/process/gateway-processes.ts';
import { isLogin } from '../../gateway/network/upstreams.ts';
import { ensurePrivateDir, moveFileAside } from '../../host/files/atomic-files.ts';
import { chownTree, writeOwnedFile } from '../../host/files/tree/chown-tree.ts';
import { canWriteTo } from '../../host/files/path-access.ts';
import { OutputFile } from '../../host/output/output-file.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { Backend } from '../../sandbox/policy.ts';
import { GATEWAY_PORT, HOME_INSIDE } from '../../sandbox/policy.ts';
import { runPreflightScripts } from '../../sandbox/preflight-scripts.ts';
import type { SandboxIo } from '../../sandbox/run-sandboxed.ts';
import { startSandboxed } from '../../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../../sandbox/sandbox-user.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { changeNames } from '../../workspace/tree-entries.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';
import { makeStaging } from '../collect-artifacts.ts';
import { outputName } from '../../attempts/output-name.ts';
import type { AgentFolders } from './agent-policy.ts';
import { agentPolicy, sandboxSettings } from './agent-policy.ts';
import { configCopy } from './config-copy.ts';
import { findCredentials } from '../model-gateway/find-credentials.ts';
import { findInstallation } from './installation.ts';
import { commitNote } from '../commit-note.ts';
import { modelLimits } from '../model-gateway/model-limits.ts';
import { openGateway } from '../model-gateway/model-gateway.ts';
import { unwrapNpx } from './npx.ts';
import type {
  AttemptEnvironment,
  CommittedTree,
  ExecutionHost,
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
import type { AttemptInput } from '../../protocol/attempt-contract.ts';

export type SandboxedPorts = ExecutionHost &
  RunWorkspacePorts & {
    readonly gateways: Pick<GatewayProcesses, 'take'>;
    readonly slotsOf: (project: string, callsMax: number) => CallSlots;
    readonly pursesOf: BudgetsForRun;
    /** Resolves when the run is not paused, or when the signal aborts. */
    readonly unpaused: (run: RunId, signal: AbortSignal) => Promise<void>;
    readonly outputDir: (run: string) => Promise<string>;
    readonly onDeed?: OnActivity;
  };

/** As much as the whole recording has to fit into the part that is never dropped. */
const RECORD_ROOM = 3;
const PROMPT_FILE = '.supervisor-prompt.md';
export async function sandboxedEnvironment(
  order: CommandRequest<'attempt'>,
  input: AttemptInput,
  note: CommandContext<'attempt'>['note'],
  ports: SandboxedPorts,
): Promise<AttemptEnvironment> {
  const { agent } = input;
  const sandbox = sandboxSettings(input);
  const { gateway: gatewaySettings, budget } = { ...defaultSettings, ...input };
  const { backend } = await ports.choose({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe: false,
  });
  await using made = new AsyncDisposableStack();
  const paid = await findCredentials(agent, ports);
  const record = await recorder(order, gatewaySettings.recordBytesMax, ports, made);
  const gateway = made.use(
    await openGateway(
      {
        cli: agent.cli,
        model: agent.model ?? null,
        settings: gatewaySettings,
        upstreams: paid.upstreams,
        slots: ports.slotsOf(input.project, gatewaySettings.callsPerProject),
        replaceable: input.replaceable ?? true,
        budget,
        purses: await ports.pursesOf(order.run, input.project, budget),
        mayCall: (signal) => ports.unpaused(order.run, signal),
        secrets: [...secretValues(agent), ...paid.secrets],
        record,
        note,
        hosts: sandbox.hosts,
        onSight: (sighting) => ports.onDeed?.(order.run, sighting),
      },
      ports,
    ),
  );
  const git = workspacePortsFor(ports, order);
  const { stateDir } = ports;
  const workspace = await runWorkspace(order.run, { ...input, sandbox }, ports, git);
  made.defer(() => workspace.release());
  const granted = grantedTo(sandbox, { ...ports, root: workspace.record.root });
  const setup = input.setupKey ?? null;
  await prepareWorkspace(workspace, { stateDir, setup, granted });
  const home = join(ports.stateDir, 'homes', order.run, folderName(agent.id));
  // Where its conversation is broken, whatever else it has kept there may be too.
  if (input.why.kind === 'afresh') await moveFileAside(home, `before-${order.key}`);
  await ensurePrivateDir(home);
  const user = sandboxUser(order.run, ports.facts());
  const artifacts = await makeStaging(ports.stateDir, order.run, order.key);
  await chownTree(workspace.work, user);
  await chownTree(artifacts, user);
  const { socket } = gateway;
  const given = { granted, setup };
  const room: AgentFolders = {
    order,
    input,
    backend,
    workspace,
    home,
    artifacts,
    user,
    socket,
    ...given,
  };
  const owned = made.move();
  const homeInside = backend === 'seatbelt' ? home : HOME_INSIDE;
  return {
    redactor: gateway.redactor,
    seen: {
      agent: { ...agent, configDir: null }, // it has a home of its own, into which the texts of that folder are copied
      workspace: workspace.cwd,
      home: homeInside,
      promptFile: `${homeInside}/${PROMPT_FILE}`,
      gateway: {
        baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`,
        token: gateway.token,
        login: isLogin(paid.upstreams),
      },
      limits: modelLimits(agent.model ?? null, gatewaySettings.prices),
      contained: true,
    },
    tree: { folder: workspace.work, copyOf: workspace.record.root },
    calls: gateway.calls,
    watched: sandbox.hosts.length === 0,
    hopeless: gateway.hopeless,
    gatewayFailure: gateway.failure,
    isClosed: () => !canWriteTo(workspace.work, user),
    start: (invocation, streams, cancelSignal) =>
      start(room, invocation, streams, ports, cancelSignal),
    keep: (signal) => keep(workspace, { ...git, signal }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Where the attempt's calls are recorded; closed with the rest of the place, after the gateway. */
async function recorder(
  { run, key }: CommandRequest,
  bytesMax: number,
  { outputDir }: Pick<SandboxedPorts, 'outputDir'>,
  made: AsyncDisposableStack,
): Promise<((bytes: Uint8Array) => Promise<void>) | null> {
  if (bytesMax === 0) return null;
  // The recording keeps to its bound by itself: a file that drops its middle would cut lines in two.
  const name = outputName(key, 'calls');
  const file = await OutputFile.open(await outputDir(run), name, RECORD_ROOM * bytesMax);
  made.defer(async () => void (await file.close()));
  return async (bytes) => file.write(bytes);
}

async function start(
  room: AgentFolders,
  invocation: Invocation,
  streams: OutputStreams,
  ports: SandboxedPorts,
  cancelSignal: AbortSignal,
): Promise<RunningAgent> {
  const { order, input, backend, home, user } = room;
  const config = await configCopy(input.agent);
  const files = { ...config, ...invocation.files };
  for (const [path, text] of Object.entries(files)) await writeOwnedFile(home, path, text);
  if (invocation.wantsPromptFile) await writeOwnedFile(home, PROMPT_FILE, input.prompt);
  await chownTree(home, user);
  const hasImage = backend === 'docker' || backend === 'podman';
  const unwrapped = unwrapNpx(invocation.argv, input.project, ports.env);
  if (unwrapped.kind === 'missing' && !hasImage)
    return notStarted(backend, 'ENOENT', unwrapped.words);
  const [name, ...args] = unwrapped.kind === 'missing' ? invocation.argv : unwrapped.argv;
  const installed = findInstallation(name, ports.env);
  if (installed === undefined && !hasImage)
    return notStarted(backend, 'ENOENT', `${name} is not installed, or not in the owner's PATH`);
  // An image may have what this machine has not, and has a system of its own.
  const isInImage = installed === undefined || (hasImage && installed.isOfSystem);
  const argv = [isInImage ? name : installed.program, ...args];
  const io: SandboxIo = { tag: ports.tagOf(order.run, order.key), ...streams };
  const { clock, random, userDir, stateDir } = ports;
  const facts = ports.facts();
  const shared = [room.workspace.work, home, room.artifacts];
  const held = { clock, random, facts, backend, user, precious: { userDir, stateDir, shared } };
  const policy = agentPolicy(room, invocation, installed, ports);
  const { preflight, hosts } = sandboxSettings(input);
  const ready = await runPreflightScripts(policy, preflight, held, io, cancelSignal);
  if (ready.kind === 'failed' && !cancelSignal.aborted)
    return notStarted(backend, 'PREFLIGHT', `the preflight script ${ready.script} failed`);
  const command = await startSandboxed(policy, { argv, stdin: invocation.stdin }, held, io);
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
    held: {
      sandbox: command.backend,
      enforced: command.enforced,
      container: command.container,
      ...(room.setup === null ? {} : { setup: room.setup }),
      ...(hosts.length === 0 ? {} : { hosts: [...hosts] }),
      ...(Object.keys(config).length === 0
        ? {}
        : { config: [...changeNames(Object.keys(config)).names] }),
      ...(room.granted.record.length === 0 ? {} : { granted: [...room.granted.record] }),
    },
    ended,
    stop: (graceMs, askSignal) => command.stop(graceMs, askSignal),
    kill: () => command.kill(),
  };
}

function notStarted(backend: Backend, code: string, message: string): RunningAgent {
  const exit = { kind: 'not-started', code, message } as const;
  return {
    pid: null,
    held: { sandbox: backend },
    ended: Promise.resolve({ exit, container: null }),
    stop: async () => {},
    kill: async () => {},
  };
}

async function keep({ place }: Workspace, ports: WorkspacePorts): Promise<CommittedTree> {
  return commitNote(place, await commitWorkspace(place, ports));
}

/** An id may have a colon, which docker can't mount. */
function folderName(id: AgentSpec['id']): string {
  return id.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}
