/**
 * Takes an attempt's kept work over into the user's tree. First a plan, which changes nothing and is
 * to be written down; then its carrying out, which is written down again. Between the two, and within
 * the second, we may be killed: the same plan is then carried out once more.
 */
import { join } from 'node:path';
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
import { applyObjections, planEdits } from './plan-apply.ts';
import { lookAtProject } from '../project.ts';
import { listSnapshot, takeSnapshot } from '../snapshot.ts';
import { importTree } from '../import-tree.ts';
import type { FileChange, TreeFileEntry, ChangeNames, FileTree } from '../tree-entries.ts';
import { compareTrees, changeNames } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { openShadowRepo, readBlob } from '../shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace.ts';
import { workspacePaths } from '../workspace.ts';

export type ApplyInput = {
  /** The kept commit that the gates have seen; nothing else is applied. */
  readonly commit: string;
  readonly symlinks?: 'refused' | 'inside';
  readonly allowed?: readonly string[];
  readonly excludesFile?: string;
  readonly limits?: TreeLimits;
};

/** A value to be written down before it is carried out. */
export type ApplyPlan = {
  readonly version: 1;
  readonly place: WorkspaceId;
  readonly commit: string;
  /** In the vault: what the user had when the plan was made. */
  readonly before: string;
  readonly edits: readonly Edit[];
  /** Files that the user and the agent both changed, each elsewhere in it. */
  readonly merged: readonly string[];
  /** What the user changed since the workspace was made. If anything, the gates have not seen the whole. */
  readonly userChanges: ChangeNames;
};

/** All that a plan looks at. */
export interface ApplyEyes {
  kept(): Promise<CommittedTreeRecord>;
  /** Where a symlink leads. */
  linkOf(file: TreeFileEntry): Promise<string>;
  /** What the user has now, as a commit of the vault. */
  snapshot(): Promise<{ readonly commit: string; readonly tree: FileTree }>;
  /** What lies at each path that is to be changed, ignored or not, and whether its folder can be one. */
  look(changes: readonly FileChange[], known: FileTree): Promise<ReadonlyMap<string, CurrentState>>;
  merge(changes: readonly FileChange[], now: ReadonlyMap<string, CurrentState>): Promise<Merges>;
}

export async function planApply(
  place: WorkspaceId,
  ports: WorkspacePorts,
  request: ApplyInput,
): Promise<ApplyPlan> {
  return planWith(place, await realEyes(place, ports, request), request);
}

export async function planWith(
  place: WorkspaceId,
  eyes: ApplyEyes,
  request: ApplyInput,
): Promise<ApplyPlan> {
  const ready = await examineKept(place, eyes, request);
  const snapshot = await eyes.snapshot();
  const now = await eyes.look(ready.changes, snapshot.tree);
  const merges = await eyes.merge(ready.changes, now);
  const planned = planEdits(ready.changes, now, merges);
  if (planned.kind === 'conflict') throw applyConflict(planned.paths);
  return {
    version: 1,
    place,
    commit: request.commit,
    before: snapshot.commit,
    edits: planned.edits,
    merged: [...merges.keys()],
    userChanges: changeNames(compareTrees(ready.before, snapshot.tree).map(({ path }) => path)),
  };
}

async function realEyes(
  place: WorkspaceId,
  ports: WorkspacePorts,
  request: ApplyInput,
): Promise<ApplyEyes> {
  const limits = request.limits ?? TREE_LIMITS;
  const vault = await openShadowRepo(workspacePaths(place).project, ports);
  return {
    kept: () => readCommittedWork(place, ports),
    linkOf: async (file) => (await readBlob(vault, file)).toString('utf8'),
    snapshot: async () =>
      takeSnapshot(vault, await lookAtProject(ports, { path: place.root, home: place.home }), {
        limits,
        ...(request.excludesFile === undefined ? {} : { excludesFile: request.excludesFile }),
        message: `What the user had before attempt ${place.attempt} of run ${place.run} was applied`,
        atMs: ports.clock.now(),
      }),
    look: (changes, known) => lookAtPaths(vault, place.root, changes, known, limits),
    merge: (changes, now) => mergeAll(vault, changes, now),
  };
}

/** Refuses with `workspace.busy` while another apply to the same project is under way. */
export async function executeApply(
  plan: ApplyPlan,
  ports: WorkspacePorts,
  handsOf: (vault: ShadowRepo) => FileOps = (vault) => realFileOps(vault, plan.place, plan.before),
): Promise<AppliedEdits> {
  const { project } = workspacePaths(plan.place);
  const vault = await openShadowRepo(project, ports);
  const release = await lockProject(plan.place, ports);
  try {
    return await executeEdits(plan.edits, handsOf(vault));
  } finally {
    release();
  }
}

/** One apply at a time to one project. */
export async function lockProject(
  place: WorkspaceId,
  { clock }: WorkspacePorts,
): Promise<() => void> {
  const lock = await takeLock(join(workspacePaths(place).project, 'apply.lock'), {
    clock,
    purpose: `apply ${place.run}/${place.attempt}`,
  });
  if (lock.kind === 'taken') return lock.release;
  throw new Refusal({
    code: 'workspace.busy',
    message: `Another apply to ${place.root} is under way${lock.by === undefined ? '' : ` ("${lock.by.purpose}")`}, in ${describeHolder(lock.by)}.`,
    hint: 'Try again when it is done.',
    details: lock.by === undefined ? {} : { pid: lock.by.pid },
  });
}

/** The kept work, once nothing speaks against letting it out. */
export async function examine(
  place: WorkspaceId,
  ports: WorkspacePorts,
  request: ApplyInput,
): Promise<CommittedWorkRecord> {
  const vault = await openShadowRepo(workspacePaths(place).project, ports);
  return { ...(await examineKept(place, await realEyes(place, ports, request), request)), vault };
}

async function examineKept(
  place: WorkspaceId,
  eyes: Pick<ApplyEyes, 'kept' | 'linkOf'>,
  request: ApplyInput,
): Promise<CommittedTreeRecord> {
  const kept = await eyes.kept();
  if (kept.commit !== request.commit) throw notSeen(place, request);
  const links = new Map<string, string>();
  for (const { path, after: is } of kept.changes)
    if (is?.mode === '120000') links.set(path, await eyes.linkOf(is));
  const against = applyObjections({
    ...kept,
    repositories: kept.record.repositories,
    links,
    symlinks: request.symlinks ?? 'refused',
    ...(request.allowed === undefined ? {} : { allowed: request.allowed }),
  });
  if (against.length > 0) throw unsafe(against);
  return kept;
}

async function lookAtPaths(
  vault: ShadowRepo,
  root: string,
  changes: readonly FileChange[],
  known: FileTree,
  limits: TreeLimits,
): Promise<ReadonlyMap<string, CurrentState>> {
  const paths = changes.map(({ path }) => path);
  const { tree, oddities } = await importTree(vault, root, paths, known, limits);
  const now = new Map<string, CurrentState>(tree);
  for (const { path } of oddities) now.set(path, 'other');
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
      if (blocked.get(folder) === true) now.set(path, 'other');
    }
  }
  return now;
}

export function applyConflict(paths: readonly string[]): Refusal {
  return new Refusal({
    code: 'workspace.conflict',
    message: `You have changed what the agent changed too: ${listSnapshot(changeNames(paths))}. Nothing was applied.`,
    hint: 'Take the work over on a branch with --branch, and merge it there.',
    details: { count: paths.length },
  });
}

function unsafe(against: readonly ApplyObjection[]): Refusal {
  const words = against.slice(0, 5).map(({ path, why }) => `${JSON.stringify(path)} ${why}`);
  const more = against.length > 5 ? `; and ${against.length - 5} more` : '';
  return new Refusal({
    code: 'workspace.unsafe-change',
    message: `This may not leave the workspace: ${words.join('; ')}${more}. Nothing was applied.`,
    hint: 'Look at the work with: supervisor diff',
    details: { count: against.length },
  });
}

function notSeen({ run, attempt }: WorkspaceId, { commit }: Pick<ApplyInput, 'commit'>): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `${commit.slice(0, 12)} is not what was kept of attempt ${attempt} of run ${run}.`,
    hint: 'Let the gates see the work as it is now.',
  });
}
