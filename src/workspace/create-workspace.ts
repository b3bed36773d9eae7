/**
 * Makes the tree an agent works in: a copy of what the user sees, with a repository of its own that
 * shares nothing with the user's but history. We never read that repository again.
 */
import { join } from 'node:path';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { scratchDir } from '../host/files/scratch-dir.ts';
import { readSmallFile } from '../host/files/small-file.ts';
import { makeFolder, removeInside, removeTree } from '../host/files/tree/write-tree.ts';
import type { GitCall } from './git.ts';
import { runGit } from './git.ts';
import { giveTree } from './commit-tree.ts';
import type { TreeLimits } from './tree-limits.ts';
import { TREE_LIMITS } from './tree-limits.ts';
import type { Project, ProjectLocation } from './project.ts';
import { lookAtProject } from './project.ts';
import type { SnapshotNote } from './snapshot.ts';
import { takeSnapshot } from './snapshot.ts';
import { realTreeFileOps } from './tree-file-ops.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import {
  gitInRepo,
  oneLineOutput,
  openShadowRepo,
  shadowRepoDir,
  readRef,
  writeRef,
} from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts, WorkspaceRecord } from './workspace.ts';
import { baseRef, keptRef, requireRecord, workspacePaths, readRecord } from './workspace.ts';

export type CreateRequest = ProjectLocation & {
  readonly run: RunId;
  readonly attempt: number;
  /** Whose partial work it goes on from; afresh without it. */
  readonly continues?: number;
  /** What another run of this project had kept, if it goes on from that; asked only where the tree is not there yet. */
  readonly goesOnFrom?: () => Promise<EarlierCommit | undefined>;
  /** The name under which the agent commits in its own repository. */
  readonly identity?: { readonly name: string; readonly email: string };
  /** A file of ignore rules of the user's, for all their projects. */
  readonly excludesFile?: string;
  readonly limits?: TreeLimits;
};

export type EarlierCommit = { readonly place: WorkspaceId; readonly commit: string };

export type Workspace = {
  readonly place: WorkspaceId;
  readonly record: WorkspaceRecord;
  /** The agent's own tree, and where in it the agent starts. */
  readonly work: string;
  readonly cwd: string;
  /** Lets others have it. The tree stays. */
  readonly release: () => void;
};

/**
 * Gives the workspace of one attempt to its caller alone. One that is there already is given as it is:
 * an attempt that died goes on where it was. Refuses with `workspace.busy` while somebody else has it.
 */
export async function createWorkspace(
  request: CreateRequest,
  ports: WorkspacePorts,
): Promise<Workspace> {
  const project = await lookAtProject(ports, request);
  const { home, run, attempt } = request;
  const place: WorkspaceId = { home, root: project.root, run, attempt };
  const paths = workspacePaths(place);
  await ensurePrivateDir(shadowRepoDir(request.home, project.root));
  await ensurePrivateDir(join(paths.lock, '..'));
  const { record, release } = await giveTree(
    place,
    realTreeFileOps(place, ports),
    async (earlier) => {
      if (earlier === undefined) return build(request, project, place, ports);
      await removeGitLocks(paths.work);
      return earlier;
    },
  );
  return { place, record, work: paths.work, cwd: join(paths.work, record.inside), release };
}

/** What a git of the agent's leaves when it is killed. Nobody works there now, so nobody holds them. */
const GIT_LOCKS = ['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock', 'shallow.lock'];

async function removeGitLocks(work: string): Promise<void> {
  for (const name of GIT_LOCKS) await removeInside(work, `.git/${name}`);
}

async function build(
  request: CreateRequest,
  project: Project,
  place: WorkspaceId,
  ports: WorkspacePorts,
): Promise<WorkspaceRecord> {
  const paths = workspacePaths(place);
  await removeTree(join(paths.work, '..')); // one that was not finished
  await ensurePrivateDir(paths.work);
  const vault = await openShadowRepo(paths.project, ports);
  const begun = await beginning(request, project, place, vault);
  await writeRef(vault, baseRef(place), begun.record.base);
  await checkOut(vault, begun.content, paths.work);
  for (const path of begun.record.repositories) await makeFolder(paths.work, path);
  await writeFileAtomic(paths.excludes, await excludes(project, request.excludesFile));
  const historyNote = await giveRepository(vault, project, begun.record, request, paths);
  const record = { ...begun.record, notes: [...begun.record.notes, ...historyNote] };
  await writeFileAtomic(paths.record, `${JSON.stringify(record, null, 2)}\n`);
  return record;
}

type Beginning = { readonly record: WorkspaceRecord; readonly content: string };

async function beginning(
  request: CreateRequest,
  project: Project,
  place: WorkspaceId,
  vault: ShadowRepo,
): Promise<Beginning> {
  const { run, attempt, root } = place;
  const atMs = vault.ports.clock.now();
  if (request.continues !== undefined) {
    const earlier = { ...place, attempt: request.continues };
    const [record, content] = [
      await requireRecord(earlier),
      await readRef(vault, keptRef(earlier)),
    ];
    if (content === undefined) throw notKept(earlier);
    return { record: { ...record, attempt, continues: request.continues, atMs }, content };
  }
  const elsewhere = await goesOnElsewhere(request, place, vault);
  if (elsewhere !== undefined) return elsewhere;
  const snapshot = await takeSnapshot(vault, project, {
    limits: request.limits ?? TREE_LIMITS,
    ...(request.excludesFile === undefined ? {} : { excludesFile: request.excludesFile }),
    message: `What the user had when attempt ${attempt} of run ${run} began`,
    atMs,
  });
  const record: WorkspaceRecord = {
    version: 1,
    run,
    attempt,
    root,
    kind: project.kind,
    base: snapshot.commit,
    head: project.kind === 'git' ? (project.head ?? null) : null,
    inside: project.inside,
    repositories: snapshot.repositories,
    notes: snapshot.notes,
    continues: null,
    atMs,
  };
  return { record, content: snapshot.commit };
}

/** With the work of another run, and as far from what the user had as that was. Undefined: that is not there any more. */
async function goesOnElsewhere(
  { goesOnFrom }: CreateRequest,
  { run, attempt, root }: WorkspaceId,
  vault: ShadowRepo,
): Promise<Beginning | undefined> {
  const earlier = await goesOnFrom?.();
  if (earlier === undefined || earlier.place.root !== root) return undefined;
  const record = await readRecord(earlier.place);
  const content = record && (await readRef(vault, earlier.commit));
  if (record === undefined || content === undefined) return undefined;
  const atMs = vault.ports.clock.now();
  return { record: { ...record, run, attempt, continues: null, atMs }, content };
}

/** Writes the files of a commit of the vault into an empty folder, as they were taken in. */
export async function checkOut(vault: ShadowRepo, commit: string, work: string): Promise<void> {
  await using scratch = await scratchDir(vault.scratchDir);
  const call = { indexFile: join(scratch.path, 'index') };
  await gitInRepo(vault, ['read-tree', commit], call);
  await gitInRepo(vault, ['checkout-index', '--all', '--quiet'], { ...call, workTree: work });
}

const OWN_BRANCH = 'work';

/** Runs git inside the tree, which is safe this once: nobody but us has written there yet. */
async function giveRepository(
  vault: ShadowRepo,
  project: Project,
  record: WorkspaceRecord,
  request: CreateRequest,
  { work, excludes }: ReturnType<typeof workspacePaths>,
): Promise<readonly SnapshotNote[]> {
  const identity = request.identity ?? { name: 'Supervisor', email: 'supervisor@localhost' };
  const gitDir = join(work, '.git');
  const call: GitCall = { gitDir, workTree: work, isThrowAway: true };
  const run = (args: readonly string[], more: GitCall = {}) =>
    runGit(vault.ports, args, { ...call, ...more });
  await run(['init', '--quiet', '--template=', `--initial-branch=${OWN_BRANCH}`]);
  await ensurePrivateDir(join(gitDir, 'info'));
  const rules = await readSmallFile(excludes, EXCLUDES_BYTES_MAX);
  if (rules.kind === 'text') await writeFileAtomic(join(gitDir, 'info', 'exclude'), rules.text);
  await run(['config', 'user.name', identity.name]);
  await run(['config', 'user.email', identity.email]);

  const hasHistory = hasHistoryToGive(project) && (await fetchHistory(run, project, vault));
  const branch = (project.kind === 'git' ? project.branch : undefined) ?? OWN_BRANCH;
  await run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  const head = hasHistory ? oneLineOutput(await run(['rev-parse', HISTORY_REF])) : undefined;
  if (head !== undefined) {
    await run(['update-ref', 'HEAD', head]);
    await run(['update-ref', '-d', HISTORY_REF]);
    await run(['read-tree', head]);
  }
  await run(['add', '--all', '--force', '--', '.']);
  const tree = oneLineOutput(await run(['write-tree']));
  const committed =
    head === undefined ? '' : oneLineOutput(await run(['rev-parse', `${head}^{tree}`]));
  if (tree !== committed) {
    const commit = await run(['commit-tree', tree, ...(head === undefined ? [] : ['-p', head])], {
      stdin: 'What was there when the work began\n',
      signature: { ...identity, atMs: record.atMs },
    });
    await run(['update-ref', 'HEAD', oneLineOutput(commit)]);
  }
  const isMissed = project.kind === 'git' && project.head !== undefined && !hasHistory;
  return isMissed ? [{ kind: 'no-history', count: 1, names: [] }] : [];
}

const HISTORY_REF = 'refs/supervisor/history';

/** Copies the commits that led to the user's last one. False when the repository can't give them. */
async function fetchHistory(
  run: (args: readonly string[], more?: GitCall) => Promise<unknown>,
  project: Project,
  { configFile }: ShadowRepo,
): Promise<boolean> {
  const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  try {
    await run(['fetch', ...flags, '--update-shallow', project.root, `+HEAD:${HISTORY_REF}`], {
      readsOther: configFile,
    });
    return true;
  } catch (error) {
    if (isRefusal(error, 'workspace.git-failed')) return false; // a damaged history is no reason not to work
    throw error; // anything else is a defect
  }
}

function hasHistoryToGive(project: Project): boolean {
  if (project.kind !== 'git' || project.head === undefined) return false;
  if (project.isPartial) return false; // objects are missing, and asking for them would run a program
  if (project.isSparse) return false; // files that are not there would look deleted
  return project.isSha1;
}

const EXCLUDES_BYTES_MAX = 1_000_000;

/** The user's own ignore rules that are in no tree. */
async function excludes(project: Project, excludesFile: string | undefined): Promise<string> {
  const files = [
    ...(project.kind === 'git' ? [join(project.commonDir, 'info', 'exclude')] : []),
    ...(excludesFile === undefined ? [] : [excludesFile]),
  ];
  const texts = await Promise.all(files.map((path) => readSmallFile(path, EXCLUDES_BYTES_MAX)));
  return texts.map((read) => (read.kind === 'text' ? `${read.text}\n` : '')).join('');
}

function notKept({ run, attempt }: WorkspaceId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Nothing of attempt ${attempt} of run ${run} was kept.`,
    hint: 'Begin afresh instead.',
  });
}
