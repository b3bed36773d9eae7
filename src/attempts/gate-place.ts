/**
 * Where a gate runs: on what its attempt kept, written out afresh, in a sandbox with no way to any
 * network, where nothing but that throw-away tree can be written to. Who wants no walls has it run in
 * the project itself, as the agent did.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { Luck } from '../base/luck.ts';
import type { Order } from '../engine/performer.ts';
import { ensurePrivateDir } from '../host/files.ts';
import { handOver } from '../host/hand-over.ts';
import type { Choice, Wish } from '../sandbox/choose-backend.ts';
import type { SandboxFacts } from '../sandbox/facts.ts';
import type { SandboxPolicy } from '../sandbox/policy.ts';
import { runPreflight } from '../sandbox/preflight.ts';
import type { SandboxIo, SandboxPorts, SandboxedCommand } from '../sandbox/run-sandboxed.ts';
import { startSandboxed } from '../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../sandbox/user.ts';
import type { Judged, JudgedTree, TextAt } from '../workspace/judged-tree.ts';
import {
  checkOutJudged,
  judgedOfKept,
  judgedOfProject,
  readTexts,
  textIn,
  withFiles,
} from '../workspace/judged-tree.ts';
import type { ChangedTest } from '../workspace/changed-tests.ts';
import { changedTests } from '../workspace/changed-tests.ts';
import type { Tree } from '../workspace/tree.ts';
import { compareTrees } from '../workspace/tree.ts';
import type { Vault } from '../workspace/vault.ts';
import type { Place, WorkspacePorts } from '../workspace/workspace.ts';
import { PASSED_IN, PATH_INSIDE } from './contained-policy.ts';
import type { GateInput } from './gate.ts';
import type { Followed } from './followed.ts';
import { followCommand } from './gate-command.ts';
import { definitionOf, namedInShort } from './gate-definition.ts';
import { findInstallation } from './installation.ts';
import { mendedText } from './manifest-parts.ts';
import type { GrantedTo } from './prepare-tree.ts';
import { grantedTo, prepareTree, setupMounts } from './prepare-tree.ts';

/** What the record says was kept of an attempt. */
export type KeptOfAttempt =
  | { readonly kind: 'kept'; readonly place: Place; readonly commit: string }
  /** It had a tree of its own, and that could not be kept. */
  | { readonly kind: 'not-kept'; readonly message: string }
  /** It worked in the project itself. */
  | { readonly kind: 'in-project' };

export type Judgeable = Exclude<KeptOfAttempt, { readonly kind: 'not-kept' }>;

export type GatePlacePorts = {
  readonly clock: Clock;
  readonly luck: Luck;
  /** Where our own state lies. */
  readonly stateDir: string;
  /** The user's own home, of which nothing is shown. */
  readonly userDir: string;
  /** What a program may know of our environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly facts: () => SandboxFacts;
  readonly git: string;
  /** Labels a sandbox with home, owner, run and command. */
  readonly placeIdOf: (run: string, key: string) => string;
  readonly tagOf: (run: string, key: string) => string;
  readonly choose: (wish: Wish) => Promise<Choice>;
};

/** By what a gate judges. */
export type JudgedBy = {
  /** What the work changed and the gate has from the base. */
  readonly restored: readonly string[];
  /** Tests of the base that the work changed, deleted or skips. */
  readonly tests: readonly ChangedTest[];
  /** Why files of the work may have decided how it was judged; empty: none has. */
  readonly unprotected: readonly string[];
  /** Whether what it runs on differs from the work in any other way, such as tests that are new. */
  readonly differs: boolean;
};

export type GatePlace = AsyncDisposable & {
  /** For the record: what is judged. */
  readonly note: { readonly commit: string | null } & JudgedBy;
  /** Once `asked` aborts, what has to be done before is cut short. */
  readonly start: (io: SandboxIo, asked: AbortSignal) => Promise<SandboxedCommand>;
};

/** Refuses what this machine does not allow. */
export async function gatePlace(
  order: Order,
  input: GateInput,
  kept: Judgeable,
  definition: 'of-base' | 'of-work',
  ports: GatePlacePorts,
): Promise<GatePlace> {
  const { image } = input.sandbox;
  const { backend } = await ports.choose({
    backend: input.unsafe ? 'none' : input.sandbox.backend,
    image,
    unsafe: input.unsafe,
  });
  const { clock, luck, userDir, stateDir } = ports;
  const facts = ports.facts();
  const held = { clock, luck, facts, backend };
  if (backend === 'none') {
    const bare: SandboxPorts = { ...held, precious: { userDir, stateDir } };
    return {
      note: {
        commit: null,
        ...AS_IT_IS,
        unprotected: ['it ran without a sandbox, in the project as it was'],
      },
      start: (io) =>
        startSandboxed(barePolicy(order, input, ports), { argv: input.command }, bare, io),
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const git = {
    git: ports.git,
    clock,
    tag: ports.tagOf(order.run, order.key),
    userHome: ports.userDir,
  };
  const judged = await judgedOf(kept, input, git, stateDir);
  const { tree, ...judgedBy } =
    definition === 'of-base' ? await asDefined(judged, input) : { tree: judged.after, ...AS_IT_IS };
  await using made = new AsyncDisposableStack();
  const out = made.use(await checkOutJudged(judged, tree));
  const root = kept.kind === 'kept' ? kept.place.root : input.project;
  const granted = grantedTo(input.sandbox, { userDir, stateDir, root });
  const { setupKey: setup = null } = input;
  await prepareTree({ tree: out.work, stateDir, setup, granted });
  const given = { granted, mounts: setupMounts(setup, out.work, backend) };
  const user = sandboxUser(`${order.run}/${order.key}`, facts);
  const home = join(out.folder, 'home');
  await ensurePrivateDir(home);
  await handOver(out.work, user);
  await handOver(home, user);
  const shared = [out.work, home];
  const walls: SandboxPorts = { ...held, user, precious: { userDir, stateDir, shared } };
  const owned = made.move();
  return {
    note: { commit: judged.commit, ...judgedBy },
    start: (io, asked) =>
      startPrepared(
        wallsPolicy(order, input, { ...out, home, given }, ports),
        input,
        walls,
        io,
        asked,
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function judgedOf(
  kept: Judgeable,
  { project }: GateInput,
  git: WorkspacePorts,
  stateDir: string,
): Promise<Judged> {
  return kept.kind === 'kept'
    ? judgedOfKept(kept.place, kept.commit, git)
    : judgedOfProject(project, stateDir, git);
}

const AS_IT_IS: JudgedBy = { restored: [], tests: [], unprotected: [], differs: false };
const ROUNDS_MAX = 30;

/** The work, with whatever says how it is judged as that was before the work began. */
async function asDefined(
  { vault, before, after, inside }: Judged,
  { command, testsMayChange = false }: GateInput,
): Promise<{ readonly tree: Tree } & JudgedBy> {
  if (before === null) return { tree: after, ...AS_IT_IS };
  const followed = await followThrough(vault, before, command, inside);
  const changes = compareTrees(before, after);
  const tests = await changedTests(vault, { before, after, changes });
  const found = definitionOf(followed, before, after, { testsMayChange });
  const texts: TextAt[] = [];
  const also: string[] = [];
  for (const path of found.parts) {
    const [was, is] = [await textIn(vault, before, path), await textIn(vault, after, path)];
    if (is === undefined) also.push(path); // gone, a link, or far too large
    const text = is === undefined ? undefined : mendedText(path, was, is, (one) => after.has(one));
    if (text !== undefined) texts.push({ path, text });
  }
  const whole = [...found.whole, ...also, ...found.tests, ...found.quiet];
  const restored = namedInShort([...found.whole, ...also, ...texts.map(({ path }) => path)]);
  const judgedBy = { restored, tests: tests.slice(0, TESTS_MAX), unprotected: followed.open };
  if (whole.length + texts.length === 0) return { tree: after, ...judgedBy, differs: false };
  return { tree: await withFiles(vault, after, before, whole, texts), ...judgedBy, differs: true };
}

/** For the record, which has bounds. */
const TESTS_MAX = 20;

/** Follows a command through the base, and reads what it comes to until there is no more. */
async function followThrough(
  vault: Vault,
  base: Tree,
  command: readonly string[],
  inside: string,
): Promise<Followed> {
  const texts = new Map<string, string>();
  for (let round = 0; ; round += 1) {
    const followed = followCommand(command, inside, base, texts);
    if (followed.wanted.size === 0) return followed;
    if (round >= ROUNDS_MAX)
      return { ...followed, open: [...followed.open, 'it starts more files than can be followed'] };
    const files = [...followed.wanted].map((path) => base.get(path));
    const read = await readTexts(vault, files);
    // What can't be read as a text is followed no further.
    for (const path of followed.wanted) texts.set(path, read.get(base.get(path)?.id ?? '') ?? '');
  }
}

/** The scripts that prepare a place for an agent prepare it for a check of its work. */
async function startPrepared(
  policy: SandboxPolicy,
  { command, sandbox }: GateInput,
  ports: SandboxPorts,
  io: SandboxIo,
  asked: AbortSignal,
): Promise<SandboxedCommand> {
  const ready = await runPreflight(policy, sandbox.preflight, ports, io, asked);
  if (ready.kind === 'failed')
    throw new Refusal({
      code: 'sandbox.unavailable',
      message: `The preflight script ${ready.script} failed before the gate could begin.`,
      hint: 'Gates have no network: see that the script needs none.',
    });
  return startSandboxed(policy, { argv: command }, ports, io);
}

/** What a check has besides the work: a home, what the setup made, and what the user grants. */
type Furnished = {
  readonly home: string;
  readonly given: { readonly granted: GrantedTo; readonly mounts: SandboxPolicy['mounts'] };
};

/** What holds a check: the tree to write to, no network, and programs that are there for everybody. */
export function wallsPolicy(
  order: Order,
  { sandbox, command, timeoutMs }: GateInput,
  { work, cwd, home, given }: Pick<JudgedTree, 'work' | 'cwd'> & Furnished,
  { env, placeIdOf }: GatePlacePorts,
): SandboxPolicy {
  const { memoryBytes, cpus, pids, diskBytes, tmpBytes, mounts, image, pull } = sandbox;
  const programs = [command[0] ?? '', 'npm', 'node'].flatMap(
    (name) => findInstallation(name, env) ?? [],
  );
  const path = new Set([...given.granted.path, ...programs.flatMap((one) => one.path)]);
  return {
    id: placeIdOf(order.run, order.key),
    read: [...new Set([...given.granted.read, ...programs.flatMap(({ read }) => read)])],
    write: [work],
    // What an agent may write to, a check may read.
    mounts: [...mounts.map(({ from, to }) => ({ from, to, mode: 'ro' }) as const), ...given.mounts],
    home,
    cwd,
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_IN.includes(name))),
      PATH: [...path, PATH_INSIDE].join(':'),
      CI: '1',
    },
    network: { kind: 'none' },
    limits: { memoryBytes, cpus, pids, diskBytes, tmpBytes, timeMs: timeoutMs },
    image,
    pull,
    unsafe: false,
  };
}

function barePolicy(
  order: Order,
  { sandbox, project, timeoutMs }: GateInput,
  { env, placeIdOf }: GatePlacePorts,
): SandboxPolicy {
  const { memoryBytes, cpus, pids, tmpBytes } = sandbox;
  return {
    id: placeIdOf(order.run, order.key),
    read: [],
    write: [],
    mounts: [],
    home: null,
    cwd: project,
    env: { ...env, CI: '1' },
    network: { kind: 'none' },
    limits: { memoryBytes, cpus, pids, diskBytes: null, tmpBytes, timeMs: timeoutMs },
    image: null,
    pull: 'never',
    unsafe: true,
  };
}
