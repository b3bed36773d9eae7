/**
 * Where a run would work and be checked: the project, the sandbox, and the programs that its setup and
 * its gates call for. A real sandbox is asked, since what lies on this machine is not what is seen inside.
 */
import { join } from 'node:path';
import type { AgentSpec } from '../../adapters/adapter.ts';
import type { GateInput } from '../../attempts/gate-outcome.ts';
import { gatePolicy } from '../../gates/gate-policy.ts';
import type { GrantedTo } from '../../execution/environments/prepare-tree.ts';
import { grantedTo } from '../../execution/environments/prepare-tree.ts';
import { parseNetwork } from '../../setup/registries.ts';
import { Refusal } from '../../base/errors.ts';
import { commandKey } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { ensurePrivateDir } from '../../host/files/atomic-files.ts';
import { chownTree } from '../../host/files/tree/chown-tree.ts';
import { realPathSync } from '../../host/files/system-dirs.ts';
import { scratchDir } from '../../host/files/scratch-dir.ts';
import { which } from '../../host/process/which.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { BackendChoice } from '../../sandbox/choose-backend.ts';
import { runSandboxed } from '../../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../../sandbox/sandbox-user.ts';
import { inspectProject } from '../../workspace/project.ts';
import type { Checklist, CheckResult } from './checklist.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';

export type EnvironmentToCheck = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly agents: readonly AgentSpec[];
  readonly gates: Settings['gates'];
};

/** Resolves with the sandbox that would hold the run; undefined: it needs none, or none holds. */
export async function checkEnvironment(
  wish: EnvironmentToCheck,
  executionHost: ExecutionHost,
  list: Checklist,
): Promise<BackendChoice | undefined> {
  const { request, settings, agents, gates } = wish;
  const unsafe = request.unsafe === true;
  const isOurs = agents.length > 0 && agents.every(({ cli }) => cli === 'scripted');
  const isBare = unsafe || isOurs;
  const setup = isBare ? null : settings.setup;
  const root = await list.look('project', 'project', () =>
    projectOf(request.project, executionHost),
  );
  const choice = await list.look('sandbox', 'sandbox', () =>
    sandboxOf(settings.sandbox, { unsafe, isNeeded: !isBare || gates.length > 0 }, executionHost),
  );
  if (root === undefined) return choice ?? undefined;
  const granted = await lookAtGrants(settings.sandbox, root, executionHost, list);
  const names = [...gates.map(({ command }) => command), setup?.command ?? []].flatMap(
    ([name]) => name ?? [],
  );
  const isThere = await programsThere(names, { wish, root, choice, granted }, executionHost, list);
  if (setup !== null) {
    const { command, inputs, network } = setup;
    await list.look('setup', 'setup', () => {
      parseNetwork(network);
      need(command, isThere);
      return setupWords(command, inputs, request.project);
    });
  }
  for (const { name, command } of gates)
    await list.look(`gate:${name}`, `gate ${name}`, () => {
      need(command, isThere);
      return { value: null, words: command.join(' ') };
    });
  return choice ?? undefined;
}

async function projectOf(path: string, { git, clock, tagOf, stateDir, userDir }: ExecutionHost) {
  const ports = { git, clock, tag: tagOf('preflight', 'project'), userHome: userDir };
  const project = await inspectProject(ports, { path, home: stateDir });
  const branch = project.kind === 'git' ? (project.branch ?? 'no branch') : '';
  const kind = project.kind === 'git' ? `git, ${branch}` : 'a folder without git';
  return { value: project.root, words: `${project.root} (${kind})` };
}

/** Null: nothing is held, as wished or since nothing need be. */
async function sandboxOf(
  { backend, image }: Settings['sandbox'],
  { unsafe, isNeeded }: { readonly unsafe: boolean; readonly isNeeded: boolean },
  { choose }: ExecutionHost,
): Promise<CheckResult<BackendChoice | null>> {
  if (unsafe) {
    const words = 'none, as you say: the agent may do all that you may do';
    return { value: null, words, warning: { words } };
  }
  if (!isNeeded) return { value: null, words: 'none needed: programs of ours, and no gate' };
  const choice = await choose({ backend, image, unsafe: false });
  const how = choice.canary === 'remembered' ? 'held a canary before' : 'held a canary';
  return { value: choice, words: `${choice.backend}, ${how}` };
}

async function lookAtGrants(
  sandbox: Settings['sandbox'],
  root: string,
  { userDir, stateDir }: ExecutionHost,
  list: Checklist,
): Promise<GrantedTo | undefined> {
  const resolve = (): GrantedTo => grantedTo(sandbox, { userDir, stateDir, root });
  const { toolchains, files, gitIdentity } = sandbox.grants;
  if (toolchains.length + files.length === 0 && gitIdentity === null) return resolve();
  return list.look('grants', 'grants', () => {
    const value = resolve();
    if (value.record.length > 0) return { value, words: value.record.join(', ') };
    const words = 'nothing that is granted is there';
    return { value, words, warning: { words, hint: 'See sandbox.grants in the settings.' } };
  });
}

type IsThere = (name: string) => boolean;

type Asked = {
  readonly wish: EnvironmentToCheck;
  readonly root: string;
  /** Null: no sandbox is used; undefined: none is to be had, so nobody can be asked. */
  readonly choice: BackendChoice | null | undefined;
  readonly granted: GrantedTo | undefined;
};

/** A program by its path is looked for in the project; any other where it would be started. */
async function programsThere(
  names: readonly string[],
  { wish, choice, granted }: Asked,
  executionHost: ExecutionHost,
  list: Checklist,
): Promise<IsThere> {
  const { request, settings } = wish;
  const inProject: IsThere = (name) =>
    realPathSync(join(request.project, name)) !== undefined || settings.setup !== null;
  const plain = names.filter((name) => !name.includes('/'));
  if (choice === null)
    return (name) =>
      name.includes('/') ? inProject(name) : which(name, executionHost.env) !== undefined;
  if (choice === undefined || granted === undefined) return () => true; // what is said already is in the way
  const found = await list.look('inside', 'inside the sandbox', async () => {
    const value = await askInside(plain, { wish, choice, granted }, executionHost);
    return { value, words: 'a command ran' };
  });
  return (name) => (name.includes('/') ? inProject(name) : (found?.has(name) ?? true));
}

const TRIAL_MS = 60_000;
const SAID_BYTES_MAX = 100_000;
const WHO_IS_THERE = 'for name; do command -v -- "$name" >/dev/null && echo "$name"; done; exit 0';

/** Runs a command as a gate would be, with the user's mounts and grants, and asks it what it finds. */
async function askInside(
  names: readonly string[],
  asked: {
    readonly wish: EnvironmentToCheck;
    readonly choice: BackendChoice;
    readonly granted: GrantedTo;
  },
  executionHost: ExecutionHost,
): Promise<ReadonlySet<string>> {
  const { clock, luck, facts, userDir, stateDir, tagOf } = executionHost;
  const { choice, granted, wish } = asked;
  await using scratch = await scratchDir(stateDir);
  const [work, home] = [join(scratch.path, 'work'), join(scratch.path, 'home')];
  const user = sandboxUser('preflight', facts());
  for (const folder of [work, home]) {
    await ensurePrivateDir(folder);
    await chownTree(folder, user);
  }
  const argv = ['sh', '-c', WHO_IS_THERE, 'sh', ...names];
  const input: GateInput = {
    name: 'preflight',
    command: argv,
    timeoutMs: TRIAL_MS,
    project: wish.request.project,
    attempt: 0,
    sandbox: wish.settings.sandbox,
    unsafe: false,
  };
  const order = { run: 'preflight' as RunId, key: commandKey('preflight'), input: {} };
  const furnished = { work, cwd: work, home, given: { granted, mounts: [] } };
  const precious = { userDir, stateDir, shared: [work, home] };
  let said = '';
  const hear = (chunk: Uint8Array): void => {
    if (said.length < SAID_BYTES_MAX) said += Buffer.from(chunk).toString('utf8');
  };
  const { exit, endedBy } = await runSandboxed(
    gatePolicy(order, input, furnished, executionHost),
    { argv },
    { clock, luck, facts: facts(), backend: choice.backend, user, precious },
    // Many may look at once, and the end of one must not end another.
    { tag: tagOf('preflight', scratch.path), onStdout: hear, onStderr: hear },
  );
  if (exit.kind === 'code' && exit.code === 0) return new Set(said.split('\n'));
  const why =
    endedBy === 'time-limit' ? `took longer than ${TRIAL_MS / 1000} s` : `failed: ${said.trim()}`;
  throw new Refusal({
    code: 'sandbox.unavailable',
    message: `A command in the sandbox, with your mounts and grants, ${why}`,
    hint: 'See what holds here with: supervisor sandbox check',
  });
}

function need([name = '']: readonly string[], isThere: IsThere): void {
  if (isThere(name)) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${name} is not there where it would run.`,
    hint: name.includes('/')
      ? 'Name a file of the project, or one that its setup makes.'
      : 'Install it for the whole machine, or grant its folder with sandbox.grants.toolchains.',
  });
}

function setupWords(
  command: readonly string[],
  inputs: readonly string[],
  project: string,
): CheckResult<null> {
  const gone = inputs.filter((path) => realPathSync(join(project, path)) === undefined);
  const looked = { value: null, words: command.join(' ') };
  if (gone.length === 0) return looked;
  const words = `${command.join(' ')}: it depends on ${gone.join(', ')}, not there`;
  return { ...looked, warning: { words, hint: 'See setup.inputs in the settings.' } };
}
