/**
 * Applies the committed work of an attempt to the user's tree. First it makes a plan, which changes nothing and is
 * recorded. Then it executes the plan, which is recorded again. If the owner is killed at any point, the same plan is
 * executed once more.
 */
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { describeHolder, takeLock } from '../../host/files/lock-file.ts';
import { readPath } from '../../host/files/tree/read-tree.ts';
import type { AppliedEdits, FileOps } from './execute-apply.ts';
import { executeEdits } from './execute-apply.ts';
import { realFileOps } from './file-ops.ts';
import type { CommittedTreeRecord } from '../commit-tree.ts';
import type { CommittedWorkRecord } from '../commit-work.ts';
import { readCommittedWork } from '../commit-work.ts';
import type { TreeLimits } from '../tree-limits.ts';
import { TREE_LIMITS } from '../tree-limits.ts';
import { mergeAll } from './merge.ts';
import type { Edit, Merges, CurrentState, ApplyObjection } from './plan-apply.ts';
import { applyObjections, mergedPaths, planEdits } from './plan-apply.ts';
import { inspectProject } from '../project.ts';
import { listNames, takeSnapshot } from '../snapshot.ts';
import { importTree } from '../import-tree.ts';
import type { FileChange, TreeFileEntry, ChangeNames, FileTree } from '../tree-entries.ts';
import { compareTrees, changeNames } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { openShadowRepo, readBlob } from '../shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace.ts';
import { workspacePaths } from '../workspace.ts';

export type ApplyInput = {
  /** The commit that the gates have checked. Nothing else is applied. */
  readonly commit: string;
  readonly symlinks?: 'refused' | 'inside';
  readonly allowed?: readonly string[];
  readonly excludesFile?: string;
  readonly limits?: TreeLimits;
};

/** A plan that is recorded before it is executed. */
export type ApplyPlan = {
  readonly version: 1;
  readonly workspace: WorkspaceId;
  readonly commit: string;
  /** A commit of the shadow repository: the user's state when the plan was made. */
  readonly before: string;
  /** The branch that was checked out then. Absent: none, or the project is no repository. */
  readonly onto?: string;
  readonly edits: readonly Edit[];
  /** Files that the user and the agent both changed, in different lines. */
  readonly merged: readonly string[];
  /**
   * The user's changes since the workspace was created. If there are any, the gates have not checked the combined
   * result.
   */
  readonly userChanges: ChangeNames;
};

/** Everything that a plan reads. */
export interface ApplyReader {
  readCommitted(): Promise<CommittedTreeRecord>;
  /** The target of a symlink. */
  readLink(file: TreeFileEntry): Promise<string>;
  /** The user's current state, as a commit of the shadow repository. */
  snapshot(): Promise<{
    readonly commit: string;
    readonly tree: FileTree;
    readonly branch?: string | undefined;
  }>;
  /** The current state of each path that is to be changed, ignored or not, and whether its folder can exist. */
  readCurrent(
    changes: readonly FileChange[],
    known: FileTree,
  ): Promise<ReadonlyMap<string, CurrentState>>;
  merge(changes: readonly FileChange[], now: ReadonlyMap<string, CurrentState>): Promise<Merges>;
}

export async function planApply(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  request: ApplyInput,
): Promise<ApplyPlan> {
  return planWithReader(workspace, await createReader(workspace, ports, request), request);
}

export async function planWithReader(
  workspace: WorkspaceId,
  reader: ApplyReader,
  request: ApplyInput,
): Promise<ApplyPlan> {
  const committed = await checkCommitted(workspace, reader, request);
  const snapshot = await reader.snapshot();
  const current = await reader.readCurrent(committed.changes, snapshot.tree);
  const merges = await reader.merge(committed.changes, current);
  const planned = planEdits(committed.changes, current, merges);
  if (planned.kind === 'conflict') throw applyConflict(planned.paths);
  return {
    version: 1,
    workspace,
    commit: request.commit,
    before: snapshot.commit,
    ...defined({ onto: snapshot.branch }),
    edits: planned.edits,
    merged: mergedPaths(merges, planned.edits),
    userChanges: changeNames(compareTrees(committed.before, snapshot.tree).map(({ path }) => path)),
  };
}

async function createReader(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  request: ApplyInput,
): Promise<ApplyReader> {
  const limits = request.limits ?? TREE_LIMITS;
  const repo = await openShadowRepo(workspacePaths(workspace).project, ports);
  return {
    readCommitted: () => readCommittedWork(workspace, ports),
    readLink: async (file) => (await readBlob(repo, file)).toString('utf8'),
    async snapshot() {
      const { root, home, run, attempt } = workspace;
      const project = await inspectProject(ports, { path: root, home });
      const atMs = ports.clock.now();
      const snapshot = await takeSnapshot(repo, project, {
        limits,
        ...defined({ excludesFile: request.excludesFile }),
        // The commit names this apply. Its own time has whole seconds, and two applies may find the same files in one.
        message: `What the user had before attempt ${attempt} of run ${run} was applied at ${atMs} ms`,
        atMs,
      });
      return { ...snapshot, branch: project.kind === 'git' ? project.branch : undefined };
    },
    readCurrent: (changes, known) => readCurrentState(repo, workspace.root, changes, known, limits),
    merge: (changes, now) => mergeAll(repo, changes, now),
  };
}

/** Refuses with `workspace.busy` while another apply to the same project is running. */
export async function executeApply(
  plan: Pick<ApplyPlan, 'workspace' | 'before' | 'edits'>,
  ports: WorkspacePorts,
  createOps: (repo: ShadowRepo) => FileOps = (repo) =>
    realFileOps(repo, plan.workspace, plan.before),
): Promise<AppliedEdits> {
  const { project } = workspacePaths(plan.workspace);
  const repo = await openShadowRepo(project, ports);
  const release = await lockProject(plan.workspace, ports);
  try {
    return await executeEdits(plan.workspace.root, plan.edits, createOps(repo));
  } finally {
    release();
  }
}

/** Allows one apply at a time to one project. */
export async function lockProject(
  workspace: WorkspaceId,
  { clock }: WorkspacePorts,
): Promise<() => void> {
  const lock = await takeLock(join(workspacePaths(workspace).project, 'apply.lock'), {
    clock,
    purpose: `apply ${workspace.run}/${workspace.attempt}`,
  });
  if (lock.kind === 'taken') return lock.release;
  throw new Refusal({
    code: 'workspace.busy',
    message: `Another apply to ${workspace.root} is running${lock.by === undefined ? '' : ` ("${lock.by.purpose}")`}, in ${describeHolder(lock.by)}.`,
    hint: 'Try again when it is done.',
    details: lock.by === undefined ? {} : { pid: lock.by.pid },
  });
}

/** The committed work, if nothing objects to applying it. */
export async function requireApplicable(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  request: ApplyInput,
): Promise<CommittedWorkRecord> {
  const repo = await openShadowRepo(workspacePaths(workspace).project, ports);
  return {
    ...(await checkCommitted(workspace, await createReader(workspace, ports, request), request)),
    repo,
  };
}

async function checkCommitted(
  workspace: WorkspaceId,
  reader: Pick<ApplyReader, 'readCommitted' | 'readLink'>,
  request: ApplyInput,
): Promise<CommittedTreeRecord> {
  const committed = await reader.readCommitted();
  if (committed.commit !== request.commit) throw notCommitted(workspace, request);
  const links = new Map<string, string>();
  for (const { path, after: file } of committed.changes)
    if (file?.mode === '120000') links.set(path, await reader.readLink(file));
  const objections = applyObjections({
    ...committed,
    repositories: committed.record.repositories,
    links,
    symlinks: request.symlinks ?? 'refused',
    ...(request.allowed === undefined ? {} : { allowed: request.allowed }),
  });
  if (objections.length > 0) throw unsafe(objections);
  return committed;
}

export async function readCurrentState(
  repo: ShadowRepo,
  root: string,
  changes: readonly FileChange[],
  known: FileTree,
  limits: TreeLimits,
): Promise<ReadonlyMap<string, CurrentState>> {
  const paths = changes.map(({ path }) => path);
  const { tree, oddities } = await importTree(repo, root, paths, known, limits);
  const current = new Map<string, CurrentState>(tree);
  for (const { path } of oddities) current.set(path, 'other');
  const deleted = new Set(changes.filter((one) => one.after === undefined).map(({ path }) => path));
  const blocked = new Map<string, boolean>();
  for (const { path, after } of changes) {
    if (after === undefined) continue;
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end);
      if (!blocked.has(folder)) {
        const { kind } = await readPath(root, folder, 0);
        blocked.set(folder, kind !== 'folder' && kind !== 'absent' && !deleted.has(folder));
      }
      if (blocked.get(folder) === true) current.set(path, 'other');
    }
  }
  return current;
}

function applyConflict(paths: readonly string[]): Refusal {
  return new Refusal({
    code: 'workspace.conflict',
    message: `You and the agent both changed ${listNames(changeNames(paths))}. Nothing was applied.`,
    hint: 'Apply the work to a new branch with --branch, and merge it there.',
    details: { count: paths.length },
  });
}

/** The work began with changes of the user that no commit has, so no branch can start there. */
export function branchConflict(paths: readonly string[]): Refusal {
  return new Refusal({
    code: 'workspace.conflict',
    message: `You and the agent both changed ${listNames(changeNames(paths))}, and no commit has the state that the work began with. Nothing was applied.`,
    hint: 'Take over the changes by hand. See them with: supervisor diff',
    details: { count: paths.length },
  });
}

function unsafe(objections: readonly ApplyObjection[]): Refusal {
  const reasons = objections.slice(0, 5).map(({ path, why }) => `${JSON.stringify(path)} ${why}`);
  const more = objections.length > 5 ? `; and ${objections.length - 5} more` : '';
  return new Refusal({
    code: 'workspace.unsafe-change',
    message: `This work cannot be applied: ${reasons.join('; ')}${more}. Nothing was applied.`,
    hint: 'Review the work with: supervisor diff',
    details: { count: objections.length },
  });
}

function notCommitted(
  { run, attempt }: WorkspaceId,
  { commit }: Pick<ApplyInput, 'commit'>,
): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `${commit.slice(0, 12)} is not the last committed work of attempt ${attempt} of run ${run}.`,
    hint: 'Run the gates on the current work.',
  });
}
