/**
 * Where a gate runs: in a sandbox without a network, on a fresh copy of the work that the attempt committed. It can
 * write to nothing else. Without a sandbox it runs where the agent did: on such a copy, or in the project itself.
 */
import { join, posix } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { CommandRequest } from '../engine/performer.ts';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { chownTree } from '../host/files/tree/chown-tree.ts';
import type { SandboxPolicy } from '../sandbox/policy.ts';
import { runPreflightScripts } from '../sandbox/preflight-scripts.ts';
import type { SandboxIo, SandboxPorts, SandboxedCommand } from '../sandbox/run-sandboxed.ts';
import { startSandboxed } from '../sandbox/run-sandboxed.ts';
import { sandboxUser } from '../sandbox/sandbox-user.ts';
import { NAME_PREFIX } from '../sandbox/prepare-mounts.ts';
import type { TestReports } from '../test-reports/collect-reports.ts';
import { openReports } from '../test-reports/collect-reports.ts';
import type { GateTreeSource, TextAt } from '../workspace/gate-tree.ts';
import {
  checkOutGateTree,
  gateTreeOfCommit,
  gateTreeOfProject,
  readTextIn,
  withFiles,
} from '../workspace/gate-tree.ts';
import { findApprovals } from '../workspace/apply/approvals.ts';
import type { ChangedTest } from '../workspace/apply/changed-tests.ts';
import { changedTests } from '../workspace/apply/changed-tests.ts';
import type { AddedLines } from '../workspace/added-lines.ts';
import { addedLines } from '../workspace/added-lines.ts';
import type { FileTree } from '../workspace/tree-entries.ts';
import { compareTrees } from '../workspace/tree-entries.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';
import type { CommittedAttempt } from '../execution/committed-attempt.ts';
import type { GateFolder } from './declared-files.ts';
import type { Followed } from './follow/followed.ts';
import { followCommandFiles } from './follow/follow-command.ts';
import { findGateDefinition, shortPathList } from './definition/gate-definition.ts';
import { unsandboxedGatePolicy, reporting, gatePolicy, withTestReports } from './gate-policy.ts';
import { restoreManifest } from './definition/manifest-parts.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { workspacePortsFor } from '../execution/environments/environment.ts';
import { grantedTo, prepareTree, setupMounts } from '../execution/environments/prepare-tree.ts';
import type { GateBasis, GateInput } from '../protocol/contracts/gate-contract.ts';
import type { ChangedText } from '../mutants/find-mutants.ts';
import { changedCode } from './changed-code.ts';

export type GateSubject = Exclude<CommittedAttempt, { readonly kind: 'not-committed' }>;

/** What a gate judged by, for the record. */
type GateEvidence = {
  /** Files that the work changed and that the gate takes from the base. */
  readonly restored: readonly string[];
  /** Tests of the base that the work changed, deleted or skips. */
  readonly tests: readonly ChangedTest[];
  /** Why files of the work may have decided how it was judged; empty: none has. */
  readonly unprotected: readonly string[];
  /** Files that run by themselves or set up Supervisor, and that the work changed. */
  readonly protectedFiles: NonNullable<GateBasis['protectedFiles']>;
  /** Whether the tree that the gate runs on differs from the work in any way, such as by new tests left out. */
  readonly differs: boolean;
};

export type GateEnvironment = AsyncDisposable & {
  /** For the record: what is judged. */
  readonly note: { readonly commit: string | null } & GateEvidence;
  /** The folder that it runs in, a copy of the project that is removed afterwards. Undefined: the project itself. */
  readonly work: string | undefined;
  /** The tree that the gate may write to. */
  readonly folder: GateFolder;
  /** Where its test runners report; undefined: its tests are not to be counted. */
  readonly reports: TestReports | undefined;
  /** The runners that are known to report there, since the command starts them. */
  readonly runners: readonly string[];
  /** Why others that it starts may not report. */
  readonly silent: readonly string[];
  /** The lines that the work has added or changed. */
  readonly addedLines: () => Promise<AddedLines>;
  /** The same lines with their files, for code that the gate may check. Works after the environment is gone. */
  readonly changedCode: () => Promise<readonly ChangedText[]>;
  /** If `cancelSignal` aborts, the preflight scripts end early. */
  readonly start: (io: SandboxIo, cancelSignal: AbortSignal) => Promise<SandboxedCommand>;
};

/** Refuses what this machine does not allow. */
export async function gateEnvironment(
  request: CommandRequest,
  input: GateInput,
  subject: GateSubject,
  definition: 'of-base' | 'of-work',
  ports: ExecutionHost,
  /** A file of the work with another text. */
  mutant?: TextAt,
): Promise<GateEnvironment> {
  const { image } = input.sandbox;
  const { backend } = await ports.chooseBackend({
    backend: input.unsafe ? 'none' : input.sandbox.backend,
    image,
    unsafe: input.unsafe,
  });
  const { clock, random, userDir, stateDir } = ports;
  const facts = ports.facts();
  const machine = { clock, random, facts, backend };
  await using resources = new AsyncDisposableStack();
  const counts = input.count !== false;
  const reports = counts
    ? resources.use(await openReports({ clock, random, namePrefix: NAME_PREFIX }))
    : undefined;
  if (backend === 'none' && subject.kind !== 'committed') {
    const cleanup = resources.move();
    const unsandboxedPorts: SandboxPorts = { ...machine, protectedPaths: { userDir, stateDir } };
    return {
      note: {
        commit: null,
        ...NOTHING_RESTORED,
        unprotected: ['it ran without a sandbox, in the project as it was'],
      },
      work: undefined,
      folder: { root: input.project, inside: '' },
      reports,
      runners: [],
      silent: [],
      addedLines: () => Promise.resolve(new Map()),
      changedCode: () => Promise.resolve([]),
      start: (io) => {
        const policy = withTestReports(
          unsandboxedGatePolicy(request, input, input.project, ports),
          backend,
          reports,
        );
        return startSandboxed(policy, { argv: input.command }, unsandboxedPorts, io);
      },
      [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
    };
  }
  const git = workspacePortsFor(ports, request);
  const source = await findGateTree(subject, input, git, stateDir);
  const { repo, before, after, inside } = source;
  const definitionTree = definition === 'of-base' ? (before ?? after) : after;
  const startsIn = posix.join(inside, input.workingDir ?? '');
  const command = commandWithVariables(input);
  const followed = await followCommandFiles(repo, definitionTree, command, startsIn);
  const { tree: judged, ...evidence } =
    definition === 'of-base'
      ? await restoreDefinition(source, followed, input)
      : { tree: after, ...NOTHING_RESTORED };
  const tree = mutant === undefined ? judged : await withFiles(repo, judged, judged, [], [mutant]);
  requireFolder(tree, startsIn, input);
  const checkout = resources.use(await checkOutGateTree(source, tree));
  const root = subject.kind === 'committed' ? subject.workspace.root : input.project;
  const granted = grantedTo(input.sandbox, { userDir, stateDir, root });
  const { setupKey: setup = null } = input;
  await prepareTree({ tree: checkout.work, stateDir, setup, granted });
  const given = { granted, mounts: setupMounts(setup, checkout.work, backend) };
  const home = join(checkout.folder, 'home');
  await ensurePrivateDir(home);
  const isContained = backend !== 'none';
  // Without a sandbox the command runs as the user of the owner, which the copy belongs to.
  const user = isContained ? sandboxUser(`${request.run}/${request.key}`, facts) : undefined;
  if (user !== undefined) for (const folder of [checkout.work, home]) await chownTree(folder, user);
  const shared = [checkout.work, home, ...(reports === undefined ? [] : [reports.folder])];
  const sandboxPorts: SandboxPorts = {
    ...machine,
    ...(user === undefined ? {} : { user }),
    protectedPaths: { userDir, stateDir, shared },
  };
  const cleanup = resources.move();
  return {
    note: {
      commit: source.commit,
      ...evidence,
      unprotected: [...(isContained ? [] : ['it ran without a sandbox']), ...evidence.unprotected],
    },
    work: checkout.work,
    folder: { root: checkout.work, inside },
    reports,
    ...reporting(followed, backend),
    addedLines: () => addedLines(repo, before ?? after, after),
    changedCode: () => changedCode(source, evidence.restored),
    start: (io, cancelSignal) => {
      const policy = isContained
        ? gatePolicy(request, input, { ...checkout, home, given }, ports)
        : unsandboxedGatePolicy(request, input, checkout.cwd, ports);
      return startPrepared(policy, reports, input, sandboxPorts, io, cancelSignal);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

/** As it is followed: a variable of the gate may name files as one of its command line does. */
function commandWithVariables({ command, env = {} }: GateInput): readonly string[] {
  const assigned = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return assigned.length === 0 ? command : ['env', ...assigned, ...command];
}

/** A link is not followed: it could lead out of the tree. */
function requireFolder(tree: FileTree, folder: string, { workingDir }: GateInput): void {
  if (workingDir === undefined) return;
  const prefix = `${folder}/`;
  for (const path of tree.keys()) if (path.startsWith(prefix)) return;
  throw new Refusal({
    code: 'workspace.not-found',
    message: `The work has no folder ${workingDir}, which is the working_dir of the gate.`,
    hint: 'Correct working_dir, or let the work create the folder.',
  });
}

function findGateTree(
  subject: GateSubject,
  { project }: GateInput,
  git: WorkspacePorts,
  stateDir: string,
): Promise<GateTreeSource> {
  return subject.kind === 'committed'
    ? gateTreeOfCommit(subject.workspace, subject.commit, git)
    : gateTreeOfProject(project, stateDir, git);
}

const NOTHING_RESTORED: GateEvidence = {
  restored: [],
  tests: [],
  protectedFiles: [],
  unprotected: [],
  differs: false,
};

/** The work, except that the files that define the gate are as they were before the work began. */
async function restoreDefinition(
  { repo, before, after }: GateTreeSource,
  followed: Followed,
  { testsMayChange = false }: GateInput,
): Promise<{ readonly tree: FileTree } & GateEvidence> {
  if (before === null) return { tree: after, ...NOTHING_RESTORED };
  const changes = compareTrees(before, after);
  const work = { before, after, changes };
  const tests = await changedTests(repo, work);
  const approvals = await findApprovals(repo, work);
  const found = findGateDefinition(followed, before, after, { testsMayChange });
  const texts: TextAt[] = [];
  const notText: string[] = [];
  for (const path of found.parts) {
    const [textBefore, textAfter] = [
      await readTextIn(repo, before, path),
      await readTextIn(repo, after, path),
    ];
    if (textAfter === undefined) notText.push(path); // gone, a link, or far too large
    const text =
      textAfter === undefined
        ? undefined
        : restoreManifest(path, textBefore, textAfter, (one) => after.has(one));
    if (text !== undefined) texts.push({ path, text });
  }
  const whole = [...found.whole, ...notText, ...found.tests, ...found.quiet];
  const restored = shortPathList([...found.whole, ...notText, ...texts.map(({ path }) => path)]);
  const evidence = {
    restored,
    tests: tests.slice(0, TESTS_MAX),
    protectedFiles: approvals
      .filter(({ needs }) => needs !== 'tests')
      .slice(0, TESTS_MAX)
      .map(({ path, why }) => ({ path, why })),
    unprotected: followed.notFollowed,
  };
  if (whole.length + texts.length === 0) return { tree: after, ...evidence, differs: false };
  return { tree: await withFiles(repo, after, before, whole, texts), ...evidence, differs: true };
}

/** For the record, which has bounds. */
const TESTS_MAX = 20;

/** Runs the preflight scripts of the sandbox first: they prepare it for the gate as they did for the agent. */
async function startPrepared(
  policy: SandboxPolicy,
  reports: TestReports | undefined,
  { command, sandbox }: GateInput,
  ports: SandboxPorts,
  io: SandboxIo,
  cancelSignal: AbortSignal,
): Promise<SandboxedCommand> {
  const ready = await runPreflightScripts(policy, sandbox.preflight, ports, io, cancelSignal);
  if (ready.kind === 'failed')
    throw new Refusal({
      code: 'sandbox.unavailable',
      message: `The preflight script ${ready.script} failed before the gate could begin.`,
      hint: 'Gates have no network: see that the script needs none.',
    });
  return startSandboxed(
    withTestReports(policy, ports.backend, reports),
    { argv: command },
    ports,
    io,
  );
}
