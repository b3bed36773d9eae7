/**
 * Where a run would work and be checked: the project, the sandbox, and the programs that its setup and
 * its gates call for. A real sandbox is asked, since what lies on this machine is not what is seen inside.
 */
import { join } from 'node:path';
import type { AgentSpec } from '../agents/adapter.ts';
import type { GateInput } from '../attempts/gate.ts';
import { wallsPolicy } from '../attempts/gate-place.ts';
import type { GrantedTo } from '../attempts/prepare-tree.ts';
import { grantedTo } from '../attempts/prepare-tree.ts';
import { parseNetwork } from '../attempts/registries.ts';
import { Refusal } from '../base/errors.ts';
import { commandKey } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import { ensurePrivateDir } from '../host/files.ts';
import { handOver } from '../host/hand-over.ts';
import { realPath } from '../host/root-folders.ts';
import { scratchDir } from '../host/scratch-dir.ts';
import { which } from '../host/which.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Choice } from '../sandbox/choose-backend.ts';
import { runSandboxed } from '../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../sandbox/user.ts';
import { lookAtProject } from '../workspace/project.ts';
import type { Checklist, Looked } from './checklist.ts';
import type { Ground } from './places.ts';

export type PlaceWish = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly agents: readonly AgentSpec[];
  readonly gates: Settings['gates'];
};

/** Resolves with the sandbox that would hold the run; undefined: it needs none, or none holds. */
export async function lookAtPlace(
  wish: PlaceWish,
  ground: Ground,
  list: Checklist,
): Promise<Choice | undefined> {
  const { request, settings, agents, gates } = wish;
  const unsafe = request.unsafe === true;
  const isOurs = agents.length > 0 && agents.every(({ cli }) => cli === 'scripted');
  const isBare = unsafe || isOurs;
  const setup = isBare ? null : settings.setup;
  const root = await list.look('project', 'project', () => projectOf(request.project, ground));
  const choice = await list.look('sandbox', 'sandbox', () =>
    sandboxOf(settings.sandbox, { unsafe, isNeeded: !isBare || gates.length > 0 }, ground),
  );
  if (root === undefined) return choice ?? undefined;
  const granted = await lookAtGrants(settings.sandbox, root, ground, list);
  const names = [...gates.map(({ command }) => command), setup?.command ?? []].flatMap(
    ([name]) => name ?? [],
  );
  const isThere = await programsThere(names, { wish, root, choice, granted }, ground, list);
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

async function projectOf(path: string, { git, clock, tagOf, stateDir, userDir }: Ground) {
  const ports = { git, clock, tag: tagOf('preflight', 'project'), userHome: userDir };
  const project = await lookAtProject(ports, { path, home: stateDir });
  const branch = project.kind === 'git' ? (project.branch ?? 'no branch') : '';
  const kind = project.kind === 'git' ? `git, ${branch}` : 'a folder without git';
  return { value: project.root, words: `${project.root} (${kind})` };
}

/** Null: nothing is held, as wished or since nothing need be. */
async function sandboxOf(
  { backend, image }: Settings['sandbox'],
  { unsafe, isNeeded }: { readonly unsafe: boolean; readonly isNeeded: boolean },
  { choose }: Ground,
): Promise<Looked<Choice | null>> {
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
  { userDir, stateDir }: Ground,
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
  readonly wish: PlaceWish;
  readonly root: string;
  /** Null: no sandbox is used; undefined: none is to be had, so nobody can be asked. */
  readonly choice: Choice | null | undefined;
  readonly granted: GrantedTo | undefined;
};

/** A program by its path is looked for in the project; any other where it would be started. */
async function programsThere(
  names: readonly string[],
  { wish, choice, granted }: Asked,
  ground: Ground,
  list: Checklist,
): Promise<IsThere> {
  const { request, settings } = wish;
  const inProject: IsThere = (name) =>
    realPath(join(request.project, name)) !== undefined || settings.setup !== null;
  const plain = names.filter((name) => !name.includes('/'));
  if (choice === null)
    return (name) => (name.includes('/') ? inProject(name) : which(name, ground.env) !== undefined);
  if (choice === undefined || granted === undefined) return () => true; // what is said already is in the way
  const found = await list.look('inside', 'inside the sandbox', async () => {
    const value = await askInside(plain, { wish, choice, granted }, ground);
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
  asked: { readonly wish: PlaceWish; readonly choice: Choice; readonly granted: GrantedTo },
  ground: Ground,
): Promise<ReadonlySet<string>> {
  const { clock, luck, facts, userDir, stateDir, tagOf } = ground;
  const { choice, granted, wish } = asked;
  await using scratch = await scratchDir(stateDir);
  const [work, home] = [join(scratch.path, 'work'), join(scratch.path, 'home')];
  const user = sandboxUser('preflight', facts());
  for (const folder of [work, home]) {
    await ensurePrivateDir(folder);
    await handOver(folder, user);
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
    wallsPolicy(order, input, furnished, ground),
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
): Looked<null> {
  const gone = inputs.filter((path) => realPath(join(project, path)) === undefined);
  const looked = { value: null, words: command.join(' ') };
  if (gone.length === 0) return looked;
  const words = `${command.join(' ')}: it depends on ${gone.join(', ')}, not there`;
  return { ...looked, warning: { words, hint: 'See setup.inputs in the settings.' } };
}
