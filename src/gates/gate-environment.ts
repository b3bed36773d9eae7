/**
 * Where a gate runs: in a sandbox without a network, on a fresh copy of the work that the attempt committed. It can
 * write to nothing else. Without a sandbox it runs in the project itself, as the agent did.
 */
import { join } from 'node:path';
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
  textIn,
  withFiles,
} from '../workspace/gate-tree.ts';
import type { ChangedTest } from '../workspace/apply/changed-tests.ts';
import { changedTests } from '../workspace/apply/changed-tests.ts';
import type { FileTree } from '../workspace/tree-entries.ts';
import { compareTrees } from '../workspace/tree-entries.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';
import type { CommittedAttempt } from '../execution/committed-attempt.ts';
import type { Followed } from './follow/followed.ts';
import { followCommandFiles } from './follow/follow-command.ts';
import { findGateDefinition, shortPathList } from './definition/gate-definition.ts';
import { unsandboxedGatePolicy, reporting, gatePolicy, withTestReports } from './gate-policy.ts';
import { restoredManifest } from './definition/manifest-parts.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { workspacePortsFor } from '../execution/environments/environment.ts';
import { grantedTo, prepareTree, setupMounts } from '../execution/environments/prepare-tree.ts';
import type { GateInput } from '../protocol/gate-contract.ts';

export type GateSubject = Exclude<CommittedAttempt, { readonly kind: 'not-kept' }>;

/** By what a gate judges. */
export type GateEvidence = {
  /** What the work changed and the gate has from the base. */
  readonly restored: readonly string[];
  /** Tests of the base that the work changed, deleted or skips. */
  readonly tests: readonly ChangedTest[];
  /** Why files of the work may have decided how it was judged; empty: none has. */
  readonly unprotected: readonly string[];
  /** Whether what it runs on differs from the work in any other way, such as tests that are new. */
  readonly differs: boolean;
};

export type GateEnvironment = AsyncDisposable & {
  /** For the record: what is judged. */
  readonly note: { readonly commit: string | null } & GateEvidence;
  /** Where its test runners report; undefined: its tests are not to be counted. */
  readonly reports: TestReports | undefined;
  /** The runners that are known to report there, since the command starts them. */
  readonly runners: readonly string[];
  /** Why others that it starts may not report. */
  readonly silent: readonly string[];
  /** Once `cancelSignal` aborts, what has to be done before is cut short. */
  readonly start: (io: SandboxIo, cancelSignal: AbortSignal) => Promise<SandboxedCommand>;
};

/** Refuses what this machine does not allow. */
export async function gateEnvironment(
  order: CommandRequest,
  input: GateInput,
  kept: GateSubject,
  definition: 'of-base' | 'of-work',
  ports: ExecutionHost,
): Promise<GateEnvironment> {
  const { image } = input.sandbox;
  const { backend } = await ports.choose({
    backend: input.unsafe ? 'none' : input.sandbox.backend,
    image,
    unsafe: input.unsafe,
  });
  const { clock, random, userDir, stateDir } = ports;
  const facts = ports.facts();
  const held = { clock, random, facts, backend };
  await using made = new AsyncDisposableStack();
  const counts = input.count !== false;
  const reports = counts
    ? made.use(await openReports({ clock, random, namePrefix: NAME_PREFIX }))
    : undefined;
  if (backend === 'none') {
    const owned = made.move();
    const bare: SandboxPorts = { ...held, precious: { userDir, stateDir } };
    return {
      note: {
        commit: null,
        ...AS_IT_IS,
        unprotected: ['it ran without a sandbox, in the project as it was'],
      },
      reports,
      runners: [],
      silent: [],
      start: (io) => {
        const policy = withTestReports(
          unsandboxedGatePolicy(order, input, ports),
          backend,
          reports,
        );
        return startSandboxed(policy, { argv: input.command }, bare, io);
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  }
  const git = workspacePortsFor(ports, order);
  const judged = await judgedOf(kept, input, git, stateDir);
  const { repo: vault, before, after, inside } = judged;
  const runs = definition === 'of-base' ? (before ?? after) : after;
  const followed = await followCommandFiles(vault, runs, input.command, inside);
  const { tree, ...judgedBy } =
    definition === 'of-base'
      ? await asDefined(judged, followed, input)
      : { tree: after, ...AS_IT_IS };
  const out = made.use(await checkOutGateTree(judged, tree));
  const root = kept.kind === 'kept' ? kept.place.root : input.project;
  const granted = grantedTo(input.sandbox, { userDir, stateDir, root });
  const { setupKey: setup = null } = input;
  await prepareTree({ tree: out.work, stateDir, setup, granted });
  const given = { granted, mounts: setupMounts(setup, out.work, backend) };
  const user = sandboxUser(`${order.run}/${order.key}`, facts);
  const home = join(out.folder, 'home');
  await ensurePrivateDir(home);
  await chownTree(out.work, user);
  await chownTree(home, user);
  const shared = [out.work, home, ...(reports === undefined ? [] : [reports.folder])];
  const walls: SandboxPorts = { ...held, user, precious: { userDir, stateDir, shared } };
  const owned = made.move();
  return {
    note: { commit: judged.commit, ...judgedBy },
    reports,
    ...reporting(followed, backend),
    start: (io, cancelSignal) => {
      const policy = gatePolicy(order, input, { ...out, home, given }, ports);
      return startPrepared(policy, reports, input, walls, io, cancelSignal);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function judgedOf(
  kept: GateSubject,
  { project }: GateInput,
  git: WorkspacePorts,
  stateDir: string,
): Promise<GateTreeSource> {
  return kept.kind === 'kept'
    ? gateTreeOfCommit(kept.place, kept.commit, git)
    : gateTreeOfProject(project, stateDir, git);
}

const AS_IT_IS: GateEvidence = { restored: [], tests: [], unprotected: [], differs: false };

/** The work, with whatever says how it is judged as that was before the work began. */
async function asDefined(
  { repo: vault, before, after }: GateTreeSource,
  followed: Followed,
  { testsMayChange = false }: GateInput,
): Promise<{ readonly tree: FileTree } & GateEvidence> {
  if (before === null) return { tree: after, ...AS_IT_IS };
  const changes = compareTrees(before, after);
  const tests = await changedTests(vault, { before, after, changes });
  const found = findGateDefinition(followed, before, after, { testsMayChange });
  const texts: TextAt[] = [];
  const also: string[] = [];
  for (const path of found.parts) {
    const [was, is] = [await textIn(vault, before, path), await textIn(vault, after, path)];
    if (is === undefined) also.push(path); // gone, a link, or far too large
    const text =
      is === undefined ? undefined : restoredManifest(path, was, is, (one) => after.has(one));
    if (text !== undefined) texts.push({ path, text });
  }
  const whole = [...found.whole, ...also, ...found.tests, ...found.quiet];
  const restored = shortPathList([...found.whole, ...also, ...texts.map(({ path }) => path)]);
  const judgedBy = { restored, tests: tests.slice(0, TESTS_MAX), unprotected: followed.open };
  if (whole.length + texts.length === 0) return { tree: after, ...judgedBy, differs: false };
  return { tree: await withFiles(vault, after, before, whole, texts), ...judgedBy, differs: true };
}

/** For the record, which has bounds. */
const TESTS_MAX = 20;

/** The scripts that prepare a place for an agent prepare it for a check of its work. */
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
