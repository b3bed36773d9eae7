/**
 * A place with walls: a throw-away copy of the project, a HOME that is kept for the run, a sandbox
 * around both, and the gateway as the only way out. Nothing done in it reaches the project; what is
 * done is kept on a ref.
 */
import { join } from 'node:path';
import type { AgentSpec, Invocation } from '../agents/adapter.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Luck } from '../base/luck.ts';
import type { Errand, Order } from '../engine/performer.ts';
import type { CallSlots } from '../gateway/call-slots.ts';
import type { GatewayProcesses } from '../gateway/process/gateway-processes.ts';
import { isLogin } from '../gateway/upstreams.ts';
import { ensurePrivateDir, moveAside } from '../host/files.ts';
import { handOver, writeInto } from '../host/hand-over.ts';
import { OutputFile } from '../host/output-file.ts';
import { defaultSettings } from '../protocol/to-settings.ts';
import type { Choice, Wish } from '../sandbox/choose-backend.ts';
import type { SandboxFacts } from '../sandbox/facts.ts';
import type { Backend } from '../sandbox/policy.ts';
import { GATEWAY_PORT, HOME_INSIDE } from '../sandbox/policy.ts';
import { runPreflight } from '../sandbox/preflight.ts';
import type { SandboxIo } from '../sandbox/run-sandboxed.ts';
import { startSandboxed } from '../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../sandbox/user.ts';
import { keepWorkspace } from '../workspace/keep.ts';
import type { Workspace } from '../workspace/make.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';
import { makeStaging } from './artifacts.ts';
import type { AttemptInput } from './attempt.ts';
import { outputName } from './attempt.ts';
import type { Room } from './contained-policy.ts';
import { policyOf, sandboxOf } from './contained-policy.ts';
import { findUpstreams } from './find-upstreams.ts';
import { findInstallation } from './installation.ts';
import { keptNote } from './kept-note.ts';
import { limitsOf } from './model-limits.ts';
import { openGateway } from './model-gateway.ts';
import type { AttemptPlace, Kept, Running, Streams } from './place.ts';
import { grantedTo, prepareWorkspace } from './prepare-tree.ts';
import type { PursesOf } from './run-purses.ts';
import type { RunWorkspacePorts } from './run-workspace.ts';
import { runWorkspace } from './run-workspace.ts';
import { secretValues } from './secrets.ts';
import type { OnDeed } from './sightings.ts';

export type ContainedPorts = RunWorkspacePorts & {
  readonly clock: Clock;
  readonly luck: Luck;
  readonly gateways: Pick<GatewayProcesses, 'take'>;
  /** Where our own state lies, and a short private folder for sockets. */
  readonly stateDir: string;
  readonly socketDir: string;
  /** Keeps what belongs to this owner apart from what belongs to another. */
  readonly homeId: string;
  /** The user's own home, of which nothing is shown. */
  readonly userDir: string;
  /** What an agent may know of our environment. */
  readonly env: Readonly<Record<string, string>>;
  /** All of it, with the keys: for the gateway alone. */
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
  readonly facts: SandboxFacts;
  readonly git: string;
  /** Labels a sandbox with home, owner, run and command. */
  readonly placeIdOf: (run: string, key: string) => string;
  readonly tagOf: (run: string, key: string) => string;
  readonly choose: (wish: Wish) => Promise<Choice>;
  readonly slotsOf: (project: string, callsMax: number) => CallSlots;
  readonly pursesOf: PursesOf;
  /** Resolves when the run is not paused, or when the signal aborts. */
  readonly unpaused: (run: RunId, signal: AbortSignal) => Promise<void>;
  readonly outputDir: (run: string) => Promise<string>;
  readonly onDeed?: OnDeed;
};

/** As much as the whole recording has to fit into the part that is never dropped. */
const RECORD_ROOM = 3;
const PROMPT_FILE = '.supervisor-prompt.md';
export async function containedPlace(
  order: Order,
  input: AttemptInput,
  note: Errand['note'],
  ports: ContainedPorts,
): Promise<AttemptPlace> {
  const { agent } = input;
  const sandbox = sandboxOf(input);
  const { gateway: gatewaySettings, budget } = { ...defaultSettings, ...input };
  const { backend } = await ports.choose({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe: false,
  });
  await using made = new AsyncDisposableStack();
  const paid = await findUpstreams(agent, ports);
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
  const git: WorkspacePorts = {
    git: ports.git,
    clock: ports.clock,
    tag: ports.tagOf(order.run, order.key),
    userHome: ports.userDir,
  };
  const { stateDir } = ports;
  const workspace = await runWorkspace(order.run, { ...input, sandbox }, ports, git);
  made.defer(() => workspace.release());
  const granted = grantedTo(sandbox, { ...ports, root: workspace.record.root });
  const setup = input.setupKey ?? null;
  await prepareWorkspace(workspace, { stateDir, setup, granted });
  const home = join(ports.stateDir, 'homes', order.run, folderName(agent.id));
  // Where its conversation is broken, whatever else it has kept there may be too.
  if (input.why?.kind === 'afresh') await moveAside(home, `before-${order.key}`);
  await ensurePrivateDir(home);
  const user = sandboxUser(order.run, ports.facts);
  const artifacts = await makeStaging(ports.stateDir, order.run, order.key);
  await handOver(workspace.work, user);
  await handOver(artifacts, user);
  const { socket } = gateway;
  const given = { granted, setup };
  const room: Room = { order, input, backend, workspace, home, artifacts, user, socket, ...given };
  const owned = made.move();
  const homeInside = backend === 'seatbelt' ? home : HOME_INSIDE;
  return {
    redactor: gateway.redactor,
    seen: {
      agent: { ...agent, configDir: null }, // it has a home of its own, and nothing of the user's
      workspace: workspace.cwd,
      home: homeInside,
      promptFile: `${homeInside}/${PROMPT_FILE}`,
      gateway: {
        baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`,
        token: gateway.token,
        login: isLogin(paid.upstreams),
      },
      limits: limitsOf(agent.model ?? null, gatewaySettings.prices),
      contained: true,
    },
    tree: { folder: workspace.work, copyOf: workspace.record.root },
    calls: gateway.calls,
    watched: sandbox.hosts.length === 0,
    hopeless: gateway.hopeless,
    gatewayFailure: gateway.failure,
    start: (invocation, streams, asked) => start(room, invocation, streams, ports, asked),
    keep: (signal) => keep(workspace, { ...git, signal }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Where the attempt's calls are recorded; closed with the rest of the place, after the gateway. */
async function recorder(
  { run, key }: Order,
  bytesMax: number,
  { outputDir }: Pick<ContainedPorts, 'outputDir'>,
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
  room: Room,
  invocation: Invocation,
  streams: Streams,
  ports: ContainedPorts,
  asked: AbortSignal,
): Promise<Running> {
  const { order, input, backend, home, user } = room;
  for (const [path, text] of Object.entries(invocation.files)) await writeInto(home, path, text);
  if (invocation.wantsPromptFile) await writeInto(home, PROMPT_FILE, input.prompt);
  await handOver(home, user);
  const [name, ...args] = invocation.argv;
  const installed = findInstallation(name, ports.env);
  const hasImage = backend === 'docker' || backend === 'podman';
  if (installed === undefined && !hasImage)
    return notStarted(backend, 'ENOENT', `${name} is not installed, or not in the owner's PATH`);
  // An image may have what this machine has not, and has a system of its own.
  const isInImage = installed === undefined || (hasImage && installed.isOfSystem);
  const argv = [isInImage ? name : installed.program, ...args];
  const io: SandboxIo = { tag: ports.tagOf(order.run, order.key), ...streams };
  const { clock, luck, facts, userDir, stateDir } = ports;
  const shared = [room.workspace.work, home, room.artifacts];
  const held = { clock, luck, facts, backend, user, precious: { userDir, stateDir, shared } };
  const policy = policyOf(room, invocation, installed, ports);
  const { preflight, hosts } = sandboxOf(input);
  const ready = await runPreflight(policy, preflight, held, io, asked);
  if (ready.kind === 'failed' && !asked.aborted)
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
  ended.catch(() => undefined); // awaited by whoever started it, maybe after other things
  return {
    pid: command.leader?.pid ?? null,
    held: {
      sandbox: command.backend,
      enforced: command.enforced,
      container: command.container,
      ...(room.setup === null ? {} : { setup: room.setup }),
      ...(hosts.length === 0 ? {} : { hosts: [...hosts] }),
      ...(room.granted.record.length === 0 ? {} : { granted: [...room.granted.record] }),
    },
    ended,
    stop: (graceMs, askSignal) => command.stop(graceMs, askSignal),
    kill: () => command.kill(),
  };
}

function notStarted(backend: Backend, code: string, message: string): Running {
  const exit = { kind: 'not-started', code, message } as const;
  return {
    pid: null,
    held: { sandbox: backend },
    ended: Promise.resolve({ exit, container: null }),
    stop: async () => {},
    kill: async () => {},
  };
}

async function keep({ place }: Workspace, ports: WorkspacePorts): Promise<Kept> {
  return keptNote(place, await keepWorkspace(place, ports));
}

/** An id may have a colon, which docker can't mount. */
function folderName(id: AgentSpec['id']): string {
  return id.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}
