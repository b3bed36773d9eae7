/**
 * Checks where a run would work and be verified: the project, the sandbox, and the programs of its
 * setup and its gates. It asks a real sandbox, because the programs inside differ from those of
 * this machine.
 */
import { lacksDependencies } from '../../attempts/gates/lacks-dependencies.ts';
import { worksInProject } from '../../attempts/choice/works-in-project.ts';
import { join } from 'node:path';
import { gatePolicy } from '../../gates/gate-policy.ts';
import {
  describeOtherProgram,
  findOtherProgram,
} from '../../execution/environments/other-program.ts';
import type { GrantedTo } from '../../execution/environments/prepare-tree.ts';
import { grantedTo } from '../../execution/environments/prepare-tree.ts';
import { parseNetwork } from '../../setup/registries.ts';
import { Refusal } from '../../base/errors.ts';
import { describeCommand } from '../../base/shell-words.ts';
import { commandKey } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { ensurePrivateDir } from '../../host/files/atomic-files.ts';
import { chownTree } from '../../host/files/tree/chown-tree.ts';
import { realPathSync } from '../../host/files/real-path.ts';
import { scratchDir } from '../../host/files/scratch-folder.ts';
import { which } from '../../host/process/which.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { BackendChoice } from '../../sandbox/choose-backend.ts';
import { runSandboxed } from '../../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../../sandbox/sandbox-user.ts';
import { requireVisibleFiles } from '../runs/require-visible.ts';
import type { Suspicion } from '../runs/require-setup.ts';
import { suspectMissingSetup } from '../runs/require-setup.ts';
import type { TryGate } from '../runs/try-gate.ts';
import { tryGateIn } from '../runs/try-gate.ts';
import { inspectProject } from '../../workspace/project.ts';
import type { Checklist, CheckResult } from './checklist.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { GateInput } from '../../protocol/contracts/gate-contract.ts';

export type EnvironmentToCheck = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly agents: readonly AgentSpec[];
  readonly gates: Settings['gates'];
};

/** Resolves with the sandbox of the run. Undefined if it needs none or none is available. */
export async function checkEnvironment(
  context: EnvironmentToCheck,
  executionHost: ExecutionHost,
  list: Checklist,
): Promise<BackendChoice | undefined> {
  const { request, settings, agents, gates } = context;
  const unsafe = request.unsafe === true;
  const isScripted = agents.length > 0 && agents.every(({ cli }) => cli === 'scripted');
  const isInProject = agents.length > 0 && agents.every((agent) => worksInProject(agent, unsafe));
  const setup = isInProject ? null : settings.setup;
  const root = await list.check('project', 'project', () =>
    checkProject(request.project, executionHost),
  );
  const choice = await list.check('sandbox', 'sandbox', () =>
    checkSandbox(
      settings.sandbox,
      { unsafe, isNeeded: !isScripted || gates.length > 0 || setup !== null },
      executionHost,
    ),
  );
  if (root === undefined) return choice ?? undefined;
  const granted = await checkGrants(settings.sandbox, root, executionHost, list);
  const names = [...gates.map(({ command }) => command), setup?.command ?? []].flatMap(
    ([name]) => name ?? [],
  );
  const isAvailable = await findPrograms(
    names,
    { context, root, choice, granted },
    executionHost,
    list,
  );
  const requireFiles = (what: string, command: readonly string[]): void => {
    if (unsafe || isInProject) return;
    requireVisibleFiles(what, command, { ...request, sandbox: settings.sandbox }, executionHost);
  };
  if (setup !== null) {
    const { command, inputs, network } = setup;
    await list.check('setup', 'setup', () => {
      parseNetwork(network);
      requireFiles('The setup', command);
      requireProgram(command, isAvailable);
      return checkSetup(command, inputs, request.project);
    });
  } else if (!isInProject && gates.length > 0) {
    await list.check('setup', 'setup', async () => {
      const { sandbox } = settings;
      const { project, withoutSetup: isUnwanted = false } = request;
      const withoutSetup = isUnwanted || !settings.requireSetup;
      const run = { project, agents, gates, setup, sandbox, unsafe, withoutSetup };
      const tryGate = tryGateIn(project, sandbox, executionHost, { runs: false });
      return describeNoSetup(await suspectMissingSetup(run), tryGate, withoutSetup);
    });
  }
  const { project } = request;
  const { env } = executionHost;
  for (const { name, command } of gates)
    await list.check(`gate:${name}`, `gate ${name}`, async () => {
      requireFiles(`Gate ${name}`, command);
      requireProgram(command, isAvailable);
      const found = describeGate(command, isAvailable);
      if (unsafe || isInProject || granted === undefined) return found;
      const other = await findOtherProgram(command, { project, granted: granted.path, env });
      return other === undefined ? found : { ...found, warning: describeOtherProgram(other) };
    });
  return choice ?? undefined;
}

async function checkProject(path: string, { git, clock, tagOf, stateDir, userDir }: ExecutionHost) {
  const ports = { git, clock, tag: tagOf('preflight', 'project'), userHome: userDir };
  const project = await inspectProject(ports, { path, home: stateDir });
  const branch = project.kind === 'git' ? (project.branch ?? 'no branch') : '';
  const kind = project.kind === 'git' ? `git, ${branch}` : 'a folder without git';
  return { value: project.root, words: `${project.root} (${kind})` };
}

/** Null if no sandbox is used, on request or because none is needed. */
async function checkSandbox(
  { backend, image }: Settings['sandbox'],
  { unsafe, isNeeded }: { readonly unsafe: boolean; readonly isNeeded: boolean },
  { chooseBackend }: ExecutionHost,
): Promise<CheckResult<BackendChoice | null>> {
  if (unsafe) {
    const words = 'none, as you asked: the agent may do everything that you may do';
    return { value: null, words, warning: { words } };
  }
  if (!isNeeded)
    return { value: null, words: 'none needed: scripted agents, no setup and no gate' };
  const choice = await chooseBackend({ backend, image, unsafe: false });
  const probeResult =
    choice.canary === 'remembered' ? 'passed its probes before' : 'passed its probes';
  return { value: choice, words: `${choice.backend}, ${probeResult}` };
}

async function checkGrants(
  sandbox: Settings['sandbox'],
  root: string,
  { userDir, stateDir }: ExecutionHost,
  list: Checklist,
): Promise<GrantedTo | undefined> {
  const resolve = (): GrantedTo => grantedTo(sandbox, { userDir, stateDir, root });
  const { toolchains, files, gitIdentity } = sandbox.grants;
  if (toolchains.length + files.length === 0 && gitIdentity === null) return resolve();
  return list.check('grants', 'grants', () => {
    const value = resolve();
    if (value.record.length > 0) return { value, words: value.record.join(', ') };
    const words = 'nothing that is granted exists';
    return { value, words, warning: { words, hint: 'Check sandbox.grants in the settings.' } };
  });
}

type IsAvailable = (name: string) => boolean;

type ProgramSearch = {
  readonly context: EnvironmentToCheck;
  readonly root: string;
  /** Null if no sandbox is used. Undefined if none is available, so that nothing can be asked. */
  readonly choice: BackendChoice | null | undefined;
  readonly granted: GrantedTo | undefined;
};

/** A program with a path is searched in the project, any other where it would be started. */
async function findPrograms(
  names: readonly string[],
  { context, choice, granted }: ProgramSearch,
  executionHost: ExecutionHost,
  list: Checklist,
): Promise<IsAvailable> {
  const { request, settings } = context;
  const inProject: IsAvailable = (name) =>
    realPathSync(join(request.project, name)) !== undefined || settings.setup !== null;
  const plain = names.filter((name) => !name.includes('/'));
  if (choice === null)
    return (name) =>
      name.includes('/') ? inProject(name) : which(name, executionHost.env) !== undefined;
  if (choice === undefined || granted === undefined) return NOT_LOOKED;
  const found = await list.check('inside', 'inside the sandbox', async () => {
    const value = await findInSandbox(plain, { context, choice, granted }, executionHost);
    return { value, words: 'a command ran' };
  });
  return (name) => (name.includes('/') ? inProject(name) : (found?.has(name) ?? true));
}

const TRIAL_MS = 60_000;
const OUTPUT_BYTES_MAX = 100_000;
const FIND_PROGRAMS = 'for name; do command -v -- "$name" >/dev/null && echo "$name"; done; exit 0';

/**
 * Runs a command in the same way as a gate, with the user's mounts and grants, and asks it which
 * programs it finds.
 */
async function findInSandbox(
  names: readonly string[],
  search: {
    readonly context: EnvironmentToCheck;
    readonly choice: BackendChoice;
    readonly granted: GrantedTo;
  },
  executionHost: ExecutionHost,
): Promise<ReadonlySet<string>> {
  const { clock, random, facts, userDir, stateDir, tagOf } = executionHost;
  const { choice, granted, context } = search;
  await using scratch = await scratchDir(stateDir);
  const [work, home] = [join(scratch.path, 'work'), join(scratch.path, 'home')];
  const user = sandboxUser('preflight', facts());
  for (const folder of [work, home]) {
    await ensurePrivateDir(folder);
    await chownTree(folder, user);
  }
  const argv = ['sh', '-c', FIND_PROGRAMS, 'sh', ...names];
  const input: GateInput = {
    name: 'preflight',
    command: argv,
    timeoutMs: TRIAL_MS,
    project: context.request.project,
    attempt: 0,
    sandbox: context.settings.sandbox,
    unsafe: false,
  };
  const request = { run: 'preflight' as RunId, key: commandKey('preflight'), input };
  const environment = { work, cwd: work, home, given: { granted, mounts: [] } };
  const protectedPaths = { userDir, stateDir, shared: [work, home] };
  let output = '';
  const collect = (chunk: Uint8Array): void => {
    if (output.length < OUTPUT_BYTES_MAX) output += Buffer.from(chunk).toString('utf8');
  };
  const { exit, endedBy } = await runSandboxed(
    gatePolicy(request, input, environment, executionHost),
    { argv },
    { clock, random, facts: facts(), backend: choice.backend, user, protectedPaths },
    // Several preflights may run at the same time, so each has its own tag: ending one must not
    // kill another.
    { tag: tagOf('preflight', scratch.path), onStdout: collect, onStderr: collect },
  );
  if (exit.kind === 'code' && exit.code === 0) return new Set(output.split('\n'));
  const why =
    endedBy === 'time-limit' ? `took longer than ${TRIAL_MS / 1000} s` : `failed: ${output.trim()}`;
  throw new Refusal({
    code: 'sandbox.unavailable',
    message: `A command in the sandbox, with your mounts and grants, ${why}`,
    hint: 'To test the sandbox: supervisor sandbox check',
  });
}

/** Only its program was looked for. */
function describeGate(command: readonly string[], isAvailable: IsAvailable): CheckResult<null> {
  const line = describeCommand(command);
  return isAvailable === NOT_LOOKED
    ? { value: null, words: `${line}: not checked yet`, isUnchecked: true }
    : { value: null, words: `${line}: its program is there, and it has not run yet` };
}

/** An earlier check has failed, so no program was looked for. */
const NOT_LOOKED: IsAvailable = () => true;

function requireProgram([name = '']: readonly string[], isAvailable: IsAvailable): void {
  if (isAvailable(name)) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${name} does not exist where it would run.`,
    hint: name.includes('/')
      ? 'Name a file of the project, or one that its setup creates.'
      : 'Install it for the whole machine, or grant its folder with sandbox.grants.toolchains.',
  });
}

/** Only a stored result is a fact. Without one, the run tries the gate before it starts an agent. */
async function describeNoSetup(
  suspicions: readonly Suspicion[],
  tryGate: TryGate,
  withoutSetup: boolean,
): Promise<CheckResult<null>> {
  if (withoutSetup) return { value: null, words: 'none, as you asked' };
  for (const { missing, gate } of suspicions) {
    const outcome = await tryGate(gate);
    if (outcome !== undefined && !lacksDependencies(outcome)) continue;
    const words = `not checked yet: gate ${gate.name} may need ${missing.folder}, which no copy has. The run tries the gate first.`;
    return { value: null, words, warning: { words, hint: SETUP_HINT } };
  }
  const words =
    suspicions.length > 0
      ? 'none: every gate has run without one'
      : 'none: no gate seems to need one';
  return { value: null, words };
}

const SETUP_HINT =
  'If the gate lacks it, the run is not started, and the refusal has the setup to add.';

function checkSetup(
  command: readonly string[],
  inputs: readonly string[],
  project: string,
): CheckResult<null> {
  const missing = inputs.filter((path) => realPathSync(join(project, path)) === undefined);
  const result: CheckResult<null> = {
    value: null,
    words: `${describeCommand(command)}: not checked yet. The run tries it before it starts an agent.`,
    isUnchecked: true,
  };
  if (missing.length === 0) return result;
  const words = `${command.join(' ')}: it depends on ${missing.join(', ')}, which does not exist`;
  return { ...result, warning: { words, hint: 'Check setup.inputs in the settings.' } };
}
