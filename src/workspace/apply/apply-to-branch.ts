/**
 * Takes an attempt's kept work over as one commit on a new branch of the user's repository. No file
 * and no index of the user's is touched. The same plan always makes the same commit, so one that was
 * cut off is simply carried out again.
 */
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { ensurePrivateDir, writeFileAtomic } from '../../host/files/atomic-files.ts';
import { writeBlob } from '../../host/git/git-object.ts';
import { scratchDir } from '../../host/files/scratch-dir.ts';
import type { ApplyInput } from './apply.ts';
import { applyConflict, examine, lockProject } from './apply.ts';
import type { GitCall, Signature } from '../git.ts';
import { nulSeparated, runGit } from '../git.ts';
import { mergeAll } from './merge.ts';
import type { Edit, CurrentState } from './plan-apply.ts';
import { planEdits } from './plan-apply.ts';
import type { GitProject } from '../project.ts';
import { listCommitted, lookAtProject } from '../project.ts';
import { listSnapshot } from '../snapshot.ts';
import type { FileChange, TreeFileEntry, FileMode } from '../tree-entries.ts';
import { changeNames } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { gitInRepo, oneLineOutput, openShadowRepo, readBlobs } from '../shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace.ts';
import { workspacePaths } from '../workspace.ts';

export type BranchRequest = ApplyInput & {
  readonly branch: string;
  readonly message?: string;
  readonly identity?: { readonly name: string; readonly email: string };
};

/** A value to be written down before it is carried out. */
export type BranchPlan = {
  readonly version: 1;
  readonly place: WorkspaceId;
  readonly commit: string;
  readonly branch: string;
  /** The user's commit that the branch starts from. */
  readonly parent: string;
  readonly edits: readonly Edit[];
  readonly merged: readonly string[];
  readonly message: string;
  readonly signature: Signature;
};

export async function planBranch(
  place: WorkspaceId,
  ports: WorkspacePorts,
  request: BranchRequest,
): Promise<BranchPlan> {
  const { vault, changes } = await examine(place, ports, request);
  const project = await needRepository(place, ports);
  const parent = project.head ?? '';
  await checkBranchName(project, ports, request.branch);
  if ((await branchTip(project, ports, request.branch)) !== undefined)
    throw branchExists(request.branch);
  await refuseConverted(vault, request.commit, changes);
  const now = await lookAtCommit(vault, project, parent, changes);
  const merges = await mergeAll(vault, changes, now);
  const planned = planEdits(changes, now, merges);
  if (planned.kind === 'conflict') throw applyConflict(planned.paths);
  const identity = request.identity ?? { name: 'Supervisor', email: 'supervisor@localhost' };
  return {
    version: 1,
    place,
    commit: request.commit,
    branch: request.branch,
    parent,
    edits: planned.edits,
    merged: [...merges.keys()],
    message: request.message ?? `The work of attempt ${place.attempt} of run ${place.run}`,
    signature: { ...identity, atMs: ports.clock.now() },
  };
}

/** Resolves with the commit that the branch names. */
export async function executeBranchApply(plan: BranchPlan, ports: WorkspacePorts): Promise<string> {
  const { place, branch, parent, edits, message, signature } = plan;
  const project = await needRepository(place, ports);
  const vault = await openShadowRepo(workspacePaths(place).project, ports);
  const release = await lockProject(place, ports);
  try {
    await using scratch = await scratchDir(vault.scratchDir);
    const call: GitCall = {
      gitDir: project.gitDir,
      indexFile: join(scratch.path, 'index'),
      signature,
    };
    const run = async (args: readonly string[], stdin?: string): Promise<string> =>
      oneLineOutput(
        await runGit(ports, args, { ...call, ...(stdin === undefined ? {} : { stdin }) }),
      );
    await copyBlobs(vault, project, edits, scratch.path);
    await run(['read-tree', parent]);
    await run(['update-index', '-z', '--index-info'], edits.map(indexLine).join(''));
    const tree = await run(['write-tree']);
    const commit = await run(['commit-tree', tree, '-p', parent], `${message}\n`);
    const tip = await branchTip(project, ports, branch);
    if (tip === commit) return commit;
    if (tip !== undefined) throw branchExists(branch);
    const none = '0'.repeat(commit.length);
    await run(['update-ref', '-m', 'supervisor apply', `refs/heads/${branch}`, commit, none]);
    return commit;
  } finally {
    release();
  }
}

function indexLine({ path, goal }: Edit): string {
  return goal === undefined
    ? `0 ${'0'.repeat(40)}\t${path}\0`
    : `${goal.mode} ${goal.id}\t${path}\0`;
}

/** Gives the user's repository the contents, as files with names of ours that git reads as they are. */
async function copyBlobs(
  vault: ShadowRepo,
  { gitDir }: GitProject,
  edits: readonly Edit[],
  dir: string,
): Promise<void> {
  const goals = edits.map(({ goal }) => goal).filter((goal) => goal !== undefined);
  const paths: string[] = [];
  await readBlobs(vault, goals, async (_, content) => {
    const path = join(dir, `blob-${paths.length}`);
    await writeFileAtomic(path, content);
    paths.push(path);
  });
  await runGit(vault.ports, ['hash-object', '-w', '--no-filters', '--stdin-paths'], {
    gitDir,
    stdin: paths.map((path) => `${path}\n`).join(''),
  });
}

/** What the user has committed at each path, with the content of what both sides changed in the vault. */
async function lookAtCommit(
  vault: ShadowRepo,
  project: GitProject,
  head: string,
  changes: readonly FileChange[],
): Promise<ReadonlyMap<string, CurrentState>> {
  const committed = await listCommitted(vault.ports, project, head);
  const now = new Map<string, CurrentState>();
  for (const { path, before, after } of changes) {
    const here = committed.get(path);
    if (here === undefined) continue;
    if (here.mode === '160000') {
      now.set(path, 'other');
    } else if (here.id === before?.id || here.id === after?.id) {
      const { bytes } = here.id === before?.id ? before : (after ?? { bytes: 0 });
      now.set(path, { mode: here.mode as FileMode, id: here.id, bytes });
    } else {
      now.set(path, await copyFromUser(vault, project, here));
    }
  }
  return now;
}

async function copyFromUser(
  vault: ShadowRepo,
  { gitDir }: GitProject,
  { mode, id }: { readonly mode: string; readonly id: string },
): Promise<TreeFileEntry> {
  const { stdout } = await runGit(vault.ports, ['cat-file', 'blob', id], { gitDir });
  await writeBlob(vault.objectsDir, stdout);
  return { mode: mode as FileMode, id, bytes: stdout.length };
}

const CONVERSIONS = ['filter', 'ident', 'working-tree-encoding', 'text', 'eol'];

/**
 * The vault has files as they lie on the disk; a commit of the user's would have them as attributes
 * convert them. Rather than run a filter or commit the wrong bytes, such files are refused here.
 */
async function refuseConverted(
  vault: ShadowRepo,
  commit: string,
  changes: readonly FileChange[],
): Promise<void> {
  const files = changes.filter(({ after }) => after !== undefined && after.mode !== '120000');
  if (files.length === 0) return;
  await using scratch = await scratchDir(vault.scratchDir);
  // A repository without attributes of its own, on the vault's objects: the tree's rules count here.
  const gitDir = join(scratch.path, 'plain.git');
  await ensurePrivateDir(gitDir);
  await runGit(vault.ports, ['init', '--quiet', '--bare', '--template=', gitDir], { gitDir });
  await ensurePrivateDir(join(gitDir, 'objects', 'info'));
  await writeFileAtomic(join(gitDir, 'objects', 'info', 'alternates'), `${vault.objectsDir}\n`);
  const call: GitCall = { gitDir, indexFile: join(scratch.path, 'index') };
  await runGit(vault.ports, ['read-tree', commit], call);
  const { stdout } = await runGit(
    vault.ports,
    ['check-attr', '-z', '--stdin', '--cached', ...CONVERSIONS],
    { ...call, stdin: files.map(({ path }) => `${path}\0`).join('') },
  );
  const words = nulSeparated(stdout);
  const converted = new Set<string>();
  const mayHaveLineEnds = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [path = '', attribute = '', value = ''] = words.slice(at, at + 3);
    if (value === 'unspecified' || value === 'unset') continue;
    (attribute === 'text' || attribute === 'eol' ? mayHaveLineEnds : converted).add(path);
  }
  for (const { path, after } of files)
    if (mayHaveLineEnds.has(path) && after !== undefined && (await hasCrLf(vault, after)))
      converted.add(path);
  if (converted.size === 0) return;
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `Attributes convert ${listSnapshot(changeNames(converted))} on commit, which only your own git can do.`,
    hint: 'Leave out --branch, and commit the files yourself.',
    details: { count: converted.size },
  });
}

async function hasCrLf(vault: ShadowRepo, { id }: TreeFileEntry): Promise<boolean> {
  return (await gitInRepo(vault, ['cat-file', 'blob', id])).stdout.includes('\r\n');
}

async function needRepository(place: WorkspaceId, ports: WorkspacePorts): Promise<GitProject> {
  const project = await lookAtProject(ports, { path: place.root, home: place.home });
  if (project.kind === 'git' && project.head !== undefined && project.isSha1) return project;
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `${place.root} has no commit with SHA-1 hashes that a branch could start from.`,
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
    message: `${JSON.stringify(branch)} is no name for a branch.`,
    hint: 'Use letters, digits, - and /.',
  });
}

async function branchTip(
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
    message: `There is a branch ${branch} already.`,
    hint: 'Name another one with: --branch',
  });
}
