/**
 * Sets a project up once for each state of its dependencies. A second run waits for the first, and
 * later runs find the result. A partial result is never found.
 */
import { Refusal, isRefusal } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { CommandContext, CommandRequest, Performer } from '../engine/performer.ts';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { describeHolder, takeLock } from '../host/files/lock-file.ts';
import type { OutputSink } from '../host/process/output-drain.ts';
import { findSecretsIn } from '../redaction/find-secrets.ts';
import type { SandboxIo, SandboxResult } from '../sandbox/run-sandboxed.ts';
import { startSandboxed } from '../sandbox/run-sandboxed.ts';
import { planSetup } from '../workspace/setups/setup-plan.ts';
import type { StoredSetup } from '../workspace/setups/setup-store.ts';
import {
  dropPartial,
  findMade,
  findSetup,
  isWhole,
  markUsed,
  openPartial,
  setupLock,
  setupsDir,
  storeSetup,
} from '../workspace/setups/setup-store.ts';
import type { FileTree } from '../workspace/tree-entries.ts';
import type { ShadowRepo } from '../workspace/shadow-repo.ts';
import { openShadowRepo, readTree } from '../workspace/shadow-repo.ts';
import type { WorkspacePorts, WorkspaceRecord } from '../workspace/workspace.ts';
import { workspacePaths } from '../workspace/workspace.ts';
import { endOfCommand } from '../execution/command-end.ts';
import { followCommandFiles } from '../gates/follow/follow-command.ts';
import { describeRefusal } from '../execution/refusal-outcome.ts';
import { OutputRecorder } from '../execution/output-recorder.ts';
import { grantedTo } from '../execution/environments/prepare-tree.ts';
import type { RunWorkspacePorts } from '../execution/environments/run-workspace.ts';
import { runWorkspace } from '../execution/environments/run-workspace.ts';
import { agentRedactor } from '../execution/environments/agent-secrets.ts';
import { setupFailure, setupTail } from '../attempts/gates/setup-outcome.ts';
import { setupInputs } from './setup-inputs.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { workspacePortsFor } from '../execution/environments/environment.ts';
import type { SetupEnvironment } from './setup-environment.ts';
import { setupEnvironment, versionsInside } from './setup-environment.ts';
import type { SetupInput, SetupOutcome } from '../protocol/contracts/setup-contract.ts';

/** The state of a project that a setup prepares. */
type SetupBase = {
  readonly repo: ShadowRepo;
  readonly record: Pick<WorkspaceRecord, 'root' | 'base' | 'inside' | 'repositories'>;
};

export type SetupPorts = ExecutionHost & {
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
  readonly openBase: (request: CommandRequest<'setup'>, git: WorkspacePorts) => Promise<SetupBase>;
};

/** The base of a run: what its workspace began with. The workspace is created here, unless it exists. */
export function baseOfRun(ports: RunWorkspacePorts): SetupPorts['openBase'] {
  return async (request, git) => {
    const { id, record, release } = await runWorkspace(request.run, request.input, ports, git);
    release(); // the first attempt continues in it
    return { repo: await openShadowRepo(workspacePaths(id).project, git), record };
  };
}

const OUTPUT_BYTES_MAX = 2_000_000;
/** Of this part of the output, a message quotes the last lines. */
const END_CHARS_MAX = 20_000;
const GRACE_MS = 5000;
const LOOK_MS = 500;

export function setupPerformer(ports: SetupPorts): Performer<'setup'> {
  return {
    command: 'setup',
    perform: async (request, context): Promise<SetupOutcome> => {
      const stopped = AbortSignal.any([context.cancelSignal, context.killSignal]);
      try {
        return await performSetup(request, context, ports, stopped);
      } catch (error) {
        if (stopped.aborted && isRefusal(error, 'workspace.interrupted'))
          return { kind: 'stopped' };
        // What can't be done here is an outcome; anything else thrown is a defect.
        if (error instanceof Refusal) return { kind: 'refused', message: describeRefusal(error) };
        throw error;
      }
    },
  };
}

async function performSetup(
  request: CommandRequest<'setup'>,
  context: CommandContext<'setup'>,
  ports: SetupPorts,
  stopped: AbortSignal,
): Promise<SetupOutcome> {
  const { input } = request;
  if (input.worksInProject)
    return { kind: 'not-needed', summary: 'the agent works in the project itself' };
  const { sandbox, command, inputs } = input;
  const { backend } = await ports.chooseBackend({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe: false,
  });
  const git = workspacePortsFor(ports, request);
  const { tag } = git;
  const { repo, record } = await ports.openBase(request, { ...git, signal: stopped });
  const granted = grantedTo(sandbox, { ...ports, root: record.root });
  const base = await readTree(repo, record.base);
  const id = ports.sandboxLabel(request.run, request.key);
  const spec = { input, backend, granted, record, repo, id, tag };
  const versions = await versionsInside(spec, ports);
  const machine = { backend, image: sandbox.image ?? '', seen: versions };
  const followed = await followCommandFiles(repo, base, command, record.inside, {
    withSettings: false,
  });
  const plan = planSetup({
    project: record.root,
    command,
    inputs,
    leadsTo: setupInputs(followed, base),
    base,
    inside: record.inside,
    settings: describeSettings(input, granted.record),
    machine,
  });
  const notFollowed =
    followed.notFollowed.length === 0 ? {} : { notFollowed: [...followed.notFollowed] };
  await context.note({
    kind: 'planned',
    ...plan,
    ...notFollowed,
    granted: granted.record,
    toolVersions: versions,
  });
  const { key } = plan;

  const claim = await claimSetup(key, input.timeoutMs, context, ports);
  if (claim === 'stopped') return { kind: 'stopped' };
  if (claim.kind === 'found') {
    await markUsed(ports.stateDir, key, ports.clock.now());
    return ready(key, 'reused', claim.stored);
  }
  try {
    const partial = await openPartial(ports.stateDir, key);
    await using environment = await setupEnvironment(partial, spec, ports);
    return await createSetup(key, base, environment, input, request, context, ports);
  } finally {
    await dropPartial(ports.stateDir, key);
    claim.release();
  }
}

/** What the user set that can change what a setup makes. Limits are left out: they only decide whether it ends. */
function describeSettings({ network, sandbox }: SetupInput, granted: readonly string[]): Json {
  const mounts = sandbox.mounts.map(({ from, to, mode }) => ({ from, to, mode }));
  return { network: [...network], granted: [...granted], mounts, pull: sandbox.pull };
}

type SetupClaim =
  | { readonly kind: 'found'; readonly stored: StoredSetup }
  /** This process holds the lock and has to make it. */
  | { readonly kind: 'held'; readonly release: () => void };

/** Waits for the process that makes it, as long as a setup may take. */
async function claimSetup(
  key: string,
  patienceMs: number,
  context: CommandContext<'setup'>,
  { stateDir, clock }: SetupPorts,
): Promise<SetupClaim | 'stopped'> {
  await ensurePrivateDir(setupsDir(stateDir));
  const giveUpAtMs = clock.elapsedMs() + patienceMs * 2;
  for (;;) {
    const lock = await takeLock(setupLock(stateDir, key), { clock, purpose: `setup ${key}` });
    if (lock.kind === 'taken') {
      const stored = await findSetup(stateDir, key);
      if (stored === undefined) return { kind: 'held', release: lock.release };
      if (await isWhole(stateDir, stored)) {
        lock.release();
        return { kind: 'found', stored };
      }
      await context.note({ kind: 'damaged', key });
      return { kind: 'held', release: lock.release };
    }
    if (clock.elapsedMs() > giveUpAtMs) throw tooLate(describeHolder(lock.by));
    if (!(await clock.sleep(LOOK_MS, context.cancelSignal))) return 'stopped';
  }
}

async function createSetup(
  key: string,
  base: FileTree,
  environment: SetupEnvironment,
  input: SetupInput,
  request: CommandRequest<'setup'>,
  context: CommandContext<'setup'>,
  ports: SetupPorts,
): Promise<SetupOutcome> {
  if (context.cancelSignal.aborted) return { kind: 'stopped' };
  const { result, tail } = await runSetup(environment, input, request, context, ports);
  if (result.endedBy === 'us') return { kind: 'stopped' };
  await context.note({ kind: 'network-use', ...environment.seen() });
  const failure = setupFailure(input, result, environment.seen().refused);
  if (failure !== undefined) return { kind: 'failed', message: failure, tail };
  const paths = await findMade(environment.tree, base);
  const content = { tree: environment.tree, paths, atMs: ports.clock.now() };
  const stored = await storeSetup(ports.stateDir, key, content);
  await markUsed(ports.stateDir, key, ports.clock.now());
  return ready(key, 'built', stored);
}

function ready(key: string, how: 'built' | 'reused', { made }: StoredSetup): SetupOutcome {
  const names = made.map(({ path }) => path);
  const what = names.length === 0 ? 'nothing' : names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  const summary = how === 'built' ? `made ${what}${more}` : `${what}${more}: made before`;
  return { kind: 'ready', key, how, summary };
}

type SetupRun = { readonly result: SandboxResult; readonly tail: string };

async function runSetup(
  { policy, sandboxPorts }: SetupEnvironment,
  { command: argv }: SetupInput,
  request: CommandRequest<'setup'>,
  context: CommandContext<'setup'>,
  ports: SetupPorts,
): Promise<SetupRun> {
  const dir = await ports.outputDir(request.run);
  let [end, last] = ['', ''];
  const redactor = agentRedactor(findSecretsIn(ports.ownerEnv));
  await using output = await OutputRecorder.open(
    { dir, key: request.key, bytesMax: OUTPUT_BYTES_MAX, redactor },
    (stream, bytes) => {
      // The two streams share no line.
      const gap = stream === last || end === '' || end.endsWith('\n') ? '' : '\n';
      end = `${end}${gap}${Buffer.from(bytes).toString('utf8')}`.slice(-END_CHARS_MAX);
      last = stream;
    },
  );
  const onStdout: OutputSink = (chunk) => output.write('stdout', chunk);
  const onStderr: OutputSink = (chunk) => output.write('stderr', chunk);
  const io: SandboxIo = {
    tag: ports.tagOf(request.run, request.key),
    onStdout,
    onStderr,
    graceMs: GRACE_MS,
  };
  const command = await startSandboxed(policy, { argv }, sandboxPorts, io);
  const result = await endOfCommand(command, context, GRACE_MS);
  await output.end();
  return { result, tail: setupTail(await redactor.redact(end)) };
}

function tooLate(holder: string): Refusal {
  return new Refusal({
    code: 'setup.unavailable',
    message: `The same setup is still running in ${holder} after the longest time that a setup may take.`,
    hint: 'Check that process, end it, and submit the task again.',
  });
}
