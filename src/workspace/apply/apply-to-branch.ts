/**
 * Applies the committed work of an attempt as one commit on a new branch of the user's repository. The user's files
 * and index are not touched. The same plan always makes the same commit, so an interrupted one is simply executed
 * again.
 */
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { ensurePrivateDir, writeFileAtomic } from '../../host/files/atomic-files.ts';
import { writeBlob } from '../../host/git/git-object.ts';
import { scratchDir } from '../../host/files/scratch-folder.ts';
import type { ApplyInput } from './apply.ts';
import { branchConflict, requireApplicable, lockProject } from './apply.ts';
import type { GitCall, Signature } from '../git.ts';
import { nulSeparated, runGit } from '../git.ts';
import { mergeAll } from './merge.ts';
import type { Edit, CurrentState } from './plan-apply.ts';
import { mergedPaths, planEdits } from './plan-apply.ts';
import type { GitProject } from '../project.ts';
import { findIdentity, listCommitted, inspectProject } from '../project.ts';
import { listNames } from '../snapshot.ts';
import type { FileChange, TreeFileEntry, FileMode } from '../tree-entries.ts';
import { changeNames } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { gitInRepo, oneLineOutput, openShadowRepo, readBlobs } from '../shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace.ts';
import { readRecord, workspacePaths } from '../workspace.ts';

export type BranchRequest = ApplyInput & {
  readonly branch: string;
  /** Its last paragraph consists of trailers, and gets one more: `Signed-off-by`. */
  readonly message?: string;
  readonly identity?: { readonly name: string; readonly email: string };
  /** Default: a new branch from the commit that is checked out. */
  readonly start?: BranchStart;
};

/** Where a commit of the work is put. */
export type BranchStart = {
  /** The commit whose files the work is combined with. */
  readonly onto: string;
  /** The commit that the branch points to. Absent: it must not exist yet. */
  readonly tip?: string;
};

/** A plan that is recorded before it is executed. */
export type BranchPlan = {
  readonly version: 1;
  readonly workspace: WorkspaceId;
  readonly commit: string;
  readonly branch: string;
  /** The commit before it: the user's commit that the branch starts from, or the last one of the branch. */
  readonly parent: string;
  /** Absent: the branch is new, and its files are those of `parent` with the edits. */
  readonly start?: BranchStart;
  readonly edits: readonly Edit[];
  readonly merged: readonly string[];
  readonly message: string;
  readonly signature: Signature;
};

/** For a user whose git has no name. */
const OWN_IDENTITY = { name: 'Supervisor', email: 'supervisor@localhost' };

export async function planBranch(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  request: BranchRequest,
): Promise<BranchPlan> {
  const { repo, changes } = await requireApplicable(workspace, ports, request);
  const project = await requireRepository(workspace, ports);
  await checkBranchName(project, ports, request.branch);
  if ((await branchTip(project, ports, request.branch)) !== request.start?.tip)
    throw branchExists(request.branch);
  await refuseConverted(repo, request.commit, changes);
  const head = project.head ?? '';
  const combine = async (onto: string): Promise<Combined> => {
    const current = await readCommittedState(repo, project, onto, changes);
    const merges = await mergeAll(repo, changes, current);
    return { merges, planned: planEdits(changes, current, merges) };
  };
  const first = await combine(request.start?.onto ?? head);
  // Changes of the user in the same lines are merged by their own git, from where the work began.
  const base = first.planned.kind === 'conflict' ? await findBase(workspace, project, ports) : null;
  const isFromBase = request.start === undefined && base !== null && base !== head;
  const { merges, planned } = isFromBase ? await combine(base) : first;
  const start = isFromBase ? { onto: base } : request.start;
  const parent = start?.tip ?? start?.onto ?? head;
  if (planned.kind === 'conflict') throw branchConflict(planned.paths);
  const identity = request.identity ?? (await findIdentity(ports, project)) ?? OWN_IDENTITY;
  const message =
    request.message ?? `The work of run ${workspace.run}\n\nSupervisor-Run: ${workspace.run}`;
  return {
    version: 1,
    workspace,
    commit: request.commit,
    branch: request.branch,
    parent,
    ...defined({ start }),
    edits: planned.edits,
    merged: mergedPaths(merges, planned.edits),
    message: signOff(message.trimEnd(), identity),
    signature: { ...identity, atMs: ports.clock.now() },
  };
}

type Combined = {
  readonly merges: Awaited<ReturnType<typeof mergeAll>>;
  readonly planned: ReturnType<typeof planEdits>;
};

/** The commit that the work began with. Null: it is not known, or no longer there. */
export async function findBase(
  workspace: WorkspaceId,
  { gitDir }: GitProject,
  ports: WorkspacePorts,
): Promise<string | null> {
  const { head } = (await readRecord(workspace)) ?? { head: null };
  if (head === null) return null;
  const args = ['cat-file', '-e', `${head}^{commit}`];
  return (await runGit(ports, args, { gitDir, okCodes: [1, 128] })).code === 0 ? head : null;
}

/** Trailers are the last paragraph. A message of one line has none yet. */
function signOff(message: string, { name, email }: Pick<Signature, 'name' | 'email'>): string {
  const gap = message.includes('\n\n') ? '\n' : '\n\n';
  return `${message}${gap}Signed-off-by: ${name} <${email}>`;
}

/** Resolves with the commit that the branch points to. */
export async function executeBranchApply(plan: BranchPlan, ports: WorkspacePorts): Promise<string> {
  const { workspace, branch, parent, start, edits, message, signature } = plan;
  const project = await requireRepository(workspace, ports);
  const repo = await openShadowRepo(workspacePaths(workspace).project, ports);
  const release = await lockProject(workspace, ports);
  try {
    await using scratch = await scratchDir(repo.scratchDir);
    const call: GitCall = {
      gitDir: project.gitDir,
      indexFile: join(scratch.path, 'index'),
      signature,
    };
    const runGitInProject = async (args: readonly string[], stdin?: string): Promise<string> =>
      oneLineOutput(
        await runGit(ports, args, { ...call, ...(stdin === undefined ? {} : { stdin }) }),
      );
    await copyBlobs(repo, project, edits, scratch.path);
    await runGitInProject(['read-tree', start?.onto ?? parent]);
    await runGitInProject(['update-index', '-z', '--index-info'], edits.map(indexLine).join(''));
    const tree = await runGitInProject(['write-tree']);
    // An earlier try has made this commit already.
    if (start?.tip !== undefined && tree === (await runGitInProject(treeOf(start.tip))))
      return start.tip;
    const commit = await runGitInProject(['commit-tree', tree, '-p', parent], `${message}\n`);
    const tip = await branchTip(project, ports, branch);
    if (tip === commit) return commit;
    if (tip !== start?.tip) throw branchExists(branch);
    // A branch that moves under a checkout makes its files look changed.
    const checkout = await runGitInProject(worktreeOf(branch));
    if (tip !== undefined && checkout !== '') throw checkedOut(branch, checkout);
    const zeroId = '0'.repeat(commit.length);
    await runGitInProject([
      'update-ref',
      '-m',
      'supervisor apply',
      `refs/heads/${branch}`,
      commit,
      tip ?? zeroId,
    ]);
    return commit;
  } finally {
    release();
  }
}

function worktreeOf(branch: string): readonly string[] {
  return ['for-each-ref', '--count=1', '--format=%(worktreepath)', `refs/heads/${branch}`];
}

function treeOf(commit: string): readonly string[] {
  return ['rev-parse', '--verify', `${commit}^{tree}`];
}

function indexLine({ path, goal }: Edit): string {
  return goal === undefined
    ? `0 ${'0'.repeat(40)}\t${path}\0`
    : `${goal.mode} ${goal.id}\t${path}\0`;
}

/** Writes the contents into the user's repository, from files with our own names, so that git applies no filter. */
async function copyBlobs(
  repo: ShadowRepo,
  { gitDir }: GitProject,
  edits: readonly Edit[],
  dir: string,
): Promise<void> {
  const goals = edits.map(({ goal }) => goal).filter((goal) => goal !== undefined);
  const paths: string[] = [];
  await readBlobs(repo, goals, async (_, content) => {
    const path = join(dir, `blob-${paths.length}`);
    await writeFileAtomic(path, content);
    paths.push(path);
  });
  await runGit(repo.ports, ['hash-object', '-w', '--no-filters', '--stdin-paths'], {
    gitDir,
    stdin: paths.map((path) => `${path}\n`).join(''),
  });
}

/**
 * The user's committed state of each path. The contents of files that both sides changed are copied into the shadow
 * repository.
 */
async function readCommittedState(
  repo: ShadowRepo,
  project: GitProject,
  head: string,
  changes: readonly FileChange[],
): Promise<ReadonlyMap<string, CurrentState>> {
  const committed = await listCommitted(repo.ports, project, head);
  const current = new Map<string, CurrentState>();
  for (const { path, before, after } of changes) {
    const entry = committed.get(path);
    if (entry === undefined) continue;
    if (entry.mode === '160000') {
      current.set(path, 'other');
    } else if (entry.id === before?.id || entry.id === after?.id) {
      const { bytes } = entry.id === before?.id ? before : (after ?? { bytes: 0 });
      current.set(path, { mode: entry.mode as FileMode, id: entry.id, bytes });
    } else {
      current.set(path, await copyFromUser(repo, project, entry));
    }
  }
  return current;
}

async function copyFromUser(
  repo: ShadowRepo,
  { gitDir }: GitProject,
  { mode, id }: { readonly mode: string; readonly id: string },
): Promise<TreeFileEntry> {
  const { stdout } = await runGit(repo.ports, ['cat-file', 'blob', id], { gitDir });
  await writeBlob(repo.objectsDir, stdout);
  return { mode: mode as FileMode, id, bytes: stdout.length };
}

const CONVERSIONS = ['filter', 'ident', 'working-tree-encoding', 'text', 'eol'];

/**
 * The shadow repository stores files as they are on the disk, but a commit of the user would contain them as
 * attributes convert them. Instead of running a filter or committing wrong bytes, such files are refused here.
 */
async function refuseConverted(
  repo: ShadowRepo,
  commit: string,
  changes: readonly FileChange[],
): Promise<void> {
  const files = changes.filter(({ after }) => after !== undefined && after.mode !== '120000');
  if (files.length === 0) return;
  await using scratch = await scratchDir(repo.scratchDir);
  // A repository without its own attributes, on the objects of the shadow repository: only the attributes of the tree
  // count.
  const gitDir = join(scratch.path, 'plain.git');
  await ensurePrivateDir(gitDir);
  await runGit(repo.ports, ['init', '--quiet', '--bare', '--template=', gitDir], { gitDir });
  await ensurePrivateDir(join(gitDir, 'objects', 'info'));
  await writeFileAtomic(join(gitDir, 'objects', 'info', 'alternates'), `${repo.objectsDir}\n`);
  const call: GitCall = { gitDir, indexFile: join(scratch.path, 'index') };
  await runGit(repo.ports, ['read-tree', commit], call);
  const { stdout } = await runGit(
    repo.ports,
    ['check-attr', '-z', '--stdin', '--cached', ...CONVERSIONS],
    { ...call, stdin: files.map(({ path }) => `${path}\0`).join('') },
  );
  const fields = nulSeparated(stdout);
  const converted = new Set<string>();
  const mayHaveLineEnds = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', attribute = '', value = ''] = fields.slice(at, at + 3);
    if (value === 'unspecified' || value === 'unset') continue;
    (attribute === 'text' || attribute === 'eol' ? mayHaveLineEnds : converted).add(path);
  }
  for (const { path, after } of files)
    if (mayHaveLineEnds.has(path) && after !== undefined && (await hasCrLf(repo, after)))
      converted.add(path);
  if (converted.size === 0) return;
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `Attributes convert ${listNames(changeNames(converted))} on commit, and only your own git can do that.`,
    hint: 'Leave out --branch, and commit the files yourself.',
    details: { count: converted.size },
  });
}

async function hasCrLf(repo: ShadowRepo, { id }: TreeFileEntry): Promise<boolean> {
  return (await gitInRepo(repo, ['cat-file', 'blob', id])).stdout.includes('\r\n');
}

export async function requireRepository(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
): Promise<GitProject> {
  const project = await inspectProject(ports, { path: workspace.root, home: workspace.home });
  if (project.kind === 'git' && project.head !== undefined && project.isSha1) return project;
  const why = project.kind === 'git' ? 'has no commit with SHA-1 hashes' : 'is no git repository';
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `${workspace.root} ${why}, so a branch has nothing to start from.`,
    hint: 'Leave out --branch to apply to the files themselves.',
  });
}

async function checkBranchName(
  { gitDir }: GitProject,
  ports: WorkspacePorts,
  branch: string,
): Promise<void> {
  const args = ['check-ref-format', `refs/heads/${branch}`];
  const { code } = await runGit(ports, args, { gitDir, okCodes: [1, 128, 129] });
  if (code === 0 && !branch.startsWith('-')) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(branch)} is not a valid branch name.`,
    hint: 'Use letters, digits, - and /.',
  });
}

export async function branchTip(
  { gitDir }: GitProject,
  ports: WorkspacePorts,
  branch: string,
): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  const answer = await runGit(ports, args, { gitDir, okCodes: [1] });
  return answer.code === 0 ? oneLineOutput(answer) : undefined;
}

function branchExists(branch: string): Refusal {
  return new Refusal({
    code: 'workspace.branch-exists',
    message: `The branch ${branch} already exists.`,
    hint: 'Choose another name with --branch.',
  });
}

function checkedOut(branch: string, path: string): Refusal {
  return new Refusal({
    code: 'workspace.branch-exists',
    message: `The branch ${branch} is checked out in ${path}, so it cannot get another commit.`,
    hint: 'Check out another branch there.',
  });
}
