/**
 * Creates the tree that an agent works in: a copy of the user's tree, with its own repository that shares only
 * history with the user's. Supervisor never reads that repository again.
 */
import { join } from 'node:path';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { scratchDir } from '../host/files/scratch-folder.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { makeFolder, removeInside, removeTree } from '../host/files/tree/write-tree.ts';
import type { GitCall } from './git.ts';
import { runGit } from './git.ts';
import { assignTree } from './commit-tree.ts';
import type { TreeLimits } from './tree-limits.ts';
import { TREE_LIMITS } from './tree-limits.ts';
import type { Project, ProjectLocation } from './project.ts';
import { inspectProject } from './project.ts';
import type { SnapshotNote } from './snapshot.ts';
import { takeCommitSnapshot } from './commit-snapshot.ts';
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
import { baseRef, workRef, requireRecord, workspacePaths, readRecord } from './workspace.ts';

export type CreateRequest = ProjectLocation & {
  readonly run: RunId;
  readonly attempt: number;
  /** The attempt whose partial work this one continues. Without it, the workspace starts from the user's state. */
  readonly continues?: number;
  /**
   * The committed work of another run of this project, if this run continues from it. Called only if the tree does
   * not exist yet, with the root of the project.
   */
  readonly findEarlierWork?: (root: string) => Promise<EarlierCommit | undefined>;
  /** The whole name of the user's commit that it starts from. Absent: what the user has now. */
  readonly from?: string;
  /** The name under which the agent commits in its own repository. */
  readonly identity?: { readonly name: string; readonly email: string };
  /** The user's global ignore file. */
  readonly excludesFile?: string;
  readonly limits?: TreeLimits;
};

export type EarlierCommit = {
  readonly workspace: WorkspaceId;
  readonly commit: string;
  /** Without this work the run has no meaning, so it never starts from the user's state instead. */
  readonly isRequired?: true;
};

export type Workspace = {
  readonly id: WorkspaceId;
  readonly record: WorkspaceRecord;
  /** The agent's own tree, and the folder in it where the agent starts. */
  readonly work: string;
  readonly cwd: string;
  /** Releases the lock. The tree stays. */
  readonly release: () => void;
};

/**
 * Assigns the workspace of one attempt to its caller. An existing one is returned as it is: an attempt that died
 * continues where it was. Refuses with `workspace.busy` while another process has it.
 */
export async function createWorkspace(
  request: CreateRequest,
  ports: WorkspacePorts,
): Promise<Workspace> {
  const project = await inspectProject(ports, request);
  const { home, run, attempt } = request;
  const workspace: WorkspaceId = { home, root: project.root, run, attempt };
  const paths = workspacePaths(workspace);
  await ensurePrivateDir(shadowRepoDir(request.home, project.root));
  await ensurePrivateDir(join(paths.lock, '..'));
  const { record, release } = await assignTree(
    workspace,
    realTreeFileOps(workspace, ports),
    async (earlier) => {
      if (earlier === undefined) return build(request, project, workspace, ports);
      await removeGitLocks(paths.work);
      return earlier;
    },
  );
  return {
    id: workspace,
    record,
    work: paths.work,
    cwd: join(paths.work, record.inside),
    release,
  };
}

/** Locks that the agent's git leaves when it is killed. No process works in the tree now, so none of them is held. */
const GIT_LOCKS = ['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock', 'shallow.lock'];

async function removeGitLocks(work: string): Promise<void> {
  for (const name of GIT_LOCKS) await removeInside(work, `.git/${name}`);
}

async function build(
  request: CreateRequest,
  project: Project,
  workspace: WorkspaceId,
  ports: WorkspacePorts,
): Promise<WorkspaceRecord> {
  const paths = workspacePaths(workspace);
  await removeTree(join(paths.work, '..')); // an unfinished one
  await ensurePrivateDir(paths.work);
  const repo = await openShadowRepo(paths.project, ports);
  const start = await determineStart(request, project, workspace, repo);
  await writeRef(repo, baseRef(workspace), start.record.base);
  ports.onProgress?.({ stage: 'writing', done: null, total: null });
  await checkOut(repo, start.content, paths.work);
  for (const path of start.record.repositories) await makeFolder(paths.work, path);
  await writeFileAtomic(paths.excludes, await readExcludes(project, request.excludesFile));
  ports.onProgress?.({ stage: 'committing', done: null, total: null });
  const historyNote = await createRepository(repo, project, start.record, request, paths);
  const record = { ...start.record, notes: [...start.record.notes, ...historyNote] };
  await writeFileAtomic(paths.record, `${JSON.stringify(record, null, 2)}\n`);
  return record;
}

type WorkspaceStart = { readonly record: WorkspaceRecord; readonly content: string };

async function determineStart(
  request: CreateRequest,
  project: Project,
  workspace: WorkspaceId,
  repo: ShadowRepo,
): Promise<WorkspaceStart> {
  const { run, attempt, root } = workspace;
  const atMs = repo.ports.clock.now();
  if (request.continues !== undefined) {
    const earlier = { ...workspace, attempt: request.continues };
    const [record, content] = [await requireRecord(earlier), await readRef(repo, workRef(earlier))];
    if (content === undefined) throw nothingCommitted(earlier);
    return { record: { ...record, attempt, continues: request.continues, atMs }, content };
  }
  const earlierStart = await startFromEarlierWork(request, workspace, repo);
  if (earlierStart !== undefined) return earlierStart;
  const { from } = request;
  const what = from === undefined ? 'What the user had' : `The commit ${from}`;
  const options = {
    limits: request.limits ?? TREE_LIMITS,
    ...(request.excludesFile === undefined ? {} : { excludesFile: request.excludesFile }),
    message: `${what} when attempt ${attempt} of run ${run} began`,
    atMs,
  };
  const snapshot = await (from === undefined
    ? takeSnapshot(repo, project, options)
    : takeCommitSnapshot(repo, project, from, options));
  const record: WorkspaceRecord = {
    version: 1,
    run,
    attempt,
    root,
    kind: project.kind,
    base: snapshot.commit,
    head: from ?? (project.kind === 'git' ? (project.head ?? null) : null),
    inside: project.inside,
    repositories: snapshot.repositories,
    notes: snapshot.notes,
    continues: null,
    atMs,
  };
  return { record, content: snapshot.commit };
}

/**
 * Starts with the work of another run, on the same base as that run. Undefined: that work no longer exists, and the
 * run can do without it.
 */
async function startFromEarlierWork(
  { findEarlierWork }: CreateRequest,
  { run, attempt, root }: WorkspaceId,
  repo: ShadowRepo,
): Promise<WorkspaceStart | undefined> {
  const earlier = await findEarlierWork?.(root);
  if (earlier === undefined) return undefined;
  const record = earlier.workspace.root === root ? await readRecord(earlier.workspace) : undefined;
  const content = record && (await readRef(repo, earlier.commit));
  if (record === undefined || content === undefined) {
    if (earlier.isRequired === true) throw earlierWorkGone(earlier);
    return undefined;
  }
  const atMs = repo.ports.clock.now();
  return { record: { ...record, run, attempt, continues: null, atMs, start: content }, content };
}

/** Writes the files of a commit of the shadow repository into an empty folder, byte for byte. */
export async function checkOut(repo: ShadowRepo, commit: string, work: string): Promise<void> {
  await using scratch = await scratchDir(repo.scratchDir);
  const call = { indexFile: join(scratch.path, 'index') };
  await gitInRepo(repo, ['read-tree', commit], call);
  await gitInRepo(repo, ['checkout-index', '--all', '--quiet'], { ...call, workTree: work });
}

const OWN_BRANCH = 'work';

/** Runs git inside the tree. This is safe once, because no agent has written there yet. */
async function createRepository(
  repo: ShadowRepo,
  project: Project,
  record: WorkspaceRecord,
  request: CreateRequest,
  { work, excludes }: ReturnType<typeof workspacePaths>,
): Promise<readonly SnapshotNote[]> {
  const identity = request.identity ?? { name: 'Supervisor', email: 'supervisor@localhost' };
  const gitDir = join(work, '.git');
  const call: GitCall = { gitDir, workTree: work, isThrowAway: true };
  const runInTree = (args: readonly string[], more: GitCall = {}) =>
    runGit(repo.ports, args, { ...call, ...more });
  await runInTree(['init', '--quiet', '--template=', `--initial-branch=${OWN_BRANCH}`]);
  await ensurePrivateDir(join(gitDir, 'info'));
  const rules = await readSmallFile(excludes, EXCLUDES_BYTES_MAX);
  if (rules.kind === 'text') await writeFileAtomic(join(gitDir, 'info', 'exclude'), rules.text);
  await runInTree(['config', 'user.name', identity.name]);
  await runInTree(['config', 'user.email', identity.email]);

  const hasHistory =
    canCopyHistory(project) &&
    (await fetchHistory(runInTree, project, lastCommitOf(record, project), repo));
  const branch = (project.kind === 'git' ? project.branch : undefined) ?? OWN_BRANCH;
  await runInTree(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  const head = hasHistory ? oneLineOutput(await runInTree(['rev-parse', HISTORY_REF])) : undefined;
  if (head !== undefined) {
    await runInTree(['update-ref', 'HEAD', head]);
    await runInTree(['update-ref', '-d', HISTORY_REF]);
    await runInTree(['read-tree', head]);
  }
  await runInTree(['add', '--all', '--force', '--', '.']);
  const tree = oneLineOutput(await runInTree(['write-tree']));
  const committed =
    head === undefined ? '' : oneLineOutput(await runInTree(['rev-parse', `${head}^{tree}`]));
  if (tree !== committed) {
    const commit = await runInTree(
      ['commit-tree', tree, ...(head === undefined ? [] : ['-p', head])],
      {
        stdin: 'The state when the work began\n',
        signature: { ...identity, atMs: record.atMs },
      },
    );
    await runInTree(['update-ref', 'HEAD', oneLineOutput(commit)]);
  }
  const isHistoryMissing = project.kind === 'git' && project.head !== undefined && !hasHistory;
  return isHistoryMissing ? [{ kind: 'no-history', count: 1, names: [] }] : [];
}

const HISTORY_REF = 'refs/supervisor/history';

/** An agent that starts in the past must not see what came after. */
function lastCommitOf({ head }: WorkspaceRecord, project: Project): string {
  const isNow = head === null || project.kind !== 'git' || head === project.head;
  return isNow ? 'HEAD' : head;
}

/** Copies the commits up to this one. False if the repository cannot provide them. */
async function fetchHistory(
  run: (args: readonly string[], more?: GitCall) => Promise<unknown>,
  project: Project,
  last: string,
  { configFile }: ShadowRepo,
): Promise<boolean> {
  const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  try {
    await run(['fetch', ...flags, '--update-shallow', project.root, `+${last}:${HISTORY_REF}`], {
      readsOther: configFile,
    });
    return true;
  } catch (error) {
    if (isRefusal(error, 'workspace.git-failed')) return false; // a damaged history does not prevent the work
    throw error; // anything else is a defect
  }
}

function canCopyHistory(project: Project): boolean {
  if (project.kind !== 'git' || project.head === undefined) return false;
  if (project.isPartial) return false; // objects are missing, and fetching them would run a program
  if (project.isSparse) return false; // files outside the sparse checkout would look deleted
  return project.isSha1;
}

const EXCLUDES_BYTES_MAX = 1_000_000;

/** The user's own ignore rules that are outside the tree. */
async function readExcludes(project: Project, excludesFile: string | undefined): Promise<string> {
  const files = [
    ...(project.kind === 'git' ? [join(project.commonDir, 'info', 'exclude')] : []),
    ...(excludesFile === undefined ? [] : [excludesFile]),
  ];
  const texts = await Promise.all(files.map((path) => readSmallFile(path, EXCLUDES_BYTES_MAX)));
  return texts.map((read) => (read.kind === 'text' ? `${read.text}\n` : '')).join('');
}

function earlierWorkGone({ workspace: { run }, commit }: EarlierCommit): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `The work of run ${run} that this run continues is gone: commit ${commit.slice(0, 12)}.`,
    hint: `Start the workflow again. What its steps did is in: supervisor logs ${run}`,
  });
}

function nothingCommitted({ run, attempt }: WorkspaceId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Attempt ${attempt} of run ${run} has no committed work.`,
    hint: 'Start from the project instead.',
  });
}
