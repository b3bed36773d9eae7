/**
 * The operations of the owner on the workspace trees of an ended run, and the stored plan of an
 * apply.
 */
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { readTextFile, removeFile } from '../../host/files/read-text-file.ts';
import type { ApplyDetails, Approval, WorkDiff } from '../../protocol/api.ts';
import type { ApplyPlan } from '../../workspace/apply/apply.ts';
import { executeApply, planApply } from '../../workspace/apply/apply.ts';
import type { BranchPlan } from '../../workspace/apply/apply-to-branch.ts';
import { executeBranchApply, planBranch } from '../../workspace/apply/apply-to-branch.ts';
import { findApprovals } from '../../workspace/apply/approvals.ts';
import type { AppliedEdits } from '../../workspace/apply/execute-apply.ts';
import { countLines, diffText } from '../../workspace/compare.ts';
import type { DiscardedWork } from '../../workspace/commit-tree.ts';
import { discardWorkspace, findLast, commitLeftovers } from '../../workspace/commit-work.ts';
import { realFileOps } from '../../workspace/apply/file-ops.ts';
import type { UndoPlan } from '../../workspace/apply/undo-apply.ts';
import {
  isStillApplied,
  planUndo,
  readAppliedEdits,
  saveForUndo,
} from '../../workspace/apply/undo-apply.ts';
import { stagingName } from '../../workspace/apply/staging.ts';
import type { FileChange, FileTree } from '../../workspace/tree-entries.ts';
import { compareTrees } from '../../workspace/tree-entries.ts';
import type { ShadowRepo } from '../../workspace/shadow-repo.ts';
import { openShadowRepo, readRef, readTree } from '../../workspace/shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import { baseRef, readRecord, undoRef, workspacePaths } from '../../workspace/workspace.ts';

export type StoredApplyPlan =
  | { readonly kind: 'tree'; readonly plan: ApplyPlan }
  | { readonly kind: 'branch'; readonly plan: BranchPlan }
  | { readonly kind: 'undo'; readonly plan: UndoPlan };

/** The trees do not know whether the work was applied. */
type UnappliedDiff = Omit<WorkDiff, 'applied'>;

/** Every method can be called again after the owner died in the middle of it. */
export interface RunTrees {
  /** The last workspace of a run. */
  last(run: RunId): Promise<WorkspaceId | undefined>;
  commitLeftovers(workspace: WorkspaceId): Promise<string | undefined>;
  discard(workspace: WorkspaceId): Promise<DiscardedWork>;
  diff(workspace: WorkspaceId, commit: string): Promise<UnappliedDiff>;
  /** Whether the run changed no file. */
  isUnchanged(workspace: WorkspaceId, commit: string): Promise<boolean>;
  /** The parts of the work that a person has to approve. */
  approvals(workspace: WorkspaceId, commit: string): Promise<readonly Approval[]>;
  /**
   * Changes nothing in the project. With `branch`, the target is a new branch and `message` is that
   * of its commit; without it, the target is the user's tree.
   */
  plan(
    workspace: WorkspaceId,
    commit: string,
    target?: { readonly branch: string; readonly message: string },
  ): Promise<StoredApplyPlan>;
  /** Changes nothing in the project. `restores` is the user's state before the apply. */
  planUndo(workspace: WorkspaceId, commit: string, restores: string): Promise<StoredApplyPlan>;
  /** The files that the apply changed which found the project in this state. */
  appliedFiles(workspace: WorkspaceId, before: string): Promise<ApplyDetails['files']>;
  /** Whether the files that this apply changed are still as it left them. Undefined: that is not known. */
  isStillApplied(workspace: WorkspaceId, before: string): Promise<boolean | undefined>;
  /**
   * Returns the commit if it created one. Refuses if the target has changed meanwhile, and then
   * changes nothing.
   */
  execute(plan: StoredApplyPlan): Promise<string | null>;
  /** The durable plan of an apply that is in progress. Undefined if there is none. */
  readPlan(workspace: WorkspaceId): Promise<string | undefined>;
  writePlan(workspace: WorkspaceId, text: string): Promise<void>;
  removePlan(workspace: WorkspaceId): Promise<void>;
}

/** A plan is small compared with the files that it covers, but it may cover many. */
const PLAN_BYTES_MAX = 50_000_000;

/** `home` is the home folder of Supervisor. */
export function realRunTrees(home: string, git: WorkspacePorts): RunTrees {
  return {
    last: (run) => findLast(home, run),
    commitLeftovers: (workspace) => commitLeftovers(workspace, git),
    discard: (workspace) => discardWorkspace(workspace, git),
    diff: (workspace, commit) => diff(workspace, commit, git),
    isUnchanged: async (workspace, commit) =>
      (await loadTrees(workspace, commit, git)).changes.length === 0,
    async approvals(workspace, commit) {
      const { repo, ...trees } = await loadTrees(workspace, commit, git);
      return findApprovals(repo, trees);
    },
    async plan(workspace, commit, target) {
      if (target !== undefined)
        return { kind: 'branch', plan: await planBranch(workspace, git, { commit, ...target }) };
      const plan = await planApply(workspace, git, { commit });
      await saveForUndo(plan);
      return { kind: 'tree', plan };
    },
    planUndo: async (workspace, commit, restores) => ({
      kind: 'undo',
      plan: await planUndo(workspace, git, { commit, restores }),
    }),
    appliedFiles: async (workspace, before) =>
      (await readAppliedEdits(workspace, before)).map(({ path, expected }) => ({
        path,
        before: expected?.id ?? null,
      })),
    isStillApplied,
    async execute({ kind, plan }) {
      if (kind === 'branch') return executeBranchApply(plan, git);
      const { workspace, before } = plan;
      const done =
        kind === 'tree'
          ? await executeApply(plan, git)
          : await executeApply(plan, git, (repo) =>
              realFileOps(repo, workspace, before, undoRef(workspace)),
            );
      return refuseIfChanged(done, workspace, kind);
    },
    readPlan: (workspace) => readTextFile(planFile(workspace), PLAN_BYTES_MAX),
    writePlan: (workspace, text) => writeFileAtomic(planFile(workspace), text),
    removePlan: (workspace) => removeFile(planFile(workspace)),
  };
}

/**
 * Refuses with `workspace.changed-meanwhile`. An apply to the user's tree creates no commit. If a
 * file changed twice meanwhile, its first version stays in the staging folder, and that folder
 * blocks the next apply.
 */
export function refuseIfChanged(
  done: AppliedEdits,
  { root, run, attempt }: Pick<WorkspaceId, 'root' | 'run' | 'attempt'>,
  kind: 'tree' | 'undo' = 'tree',
): null {
  if (done.kind === 'applied') return null;
  const [what, did] = kind === 'undo' ? ['undo', 'undone'] : ['apply', 'applied'];
  const changed = `${listFirst(done.paths)} changed during the ${what}. Nothing was ${did}.`;
  const { leftAside } = done;
  const folder = join(root, stagingName(run, attempt));
  throw new Refusal({
    code: 'workspace.changed-meanwhile',
    ...(leftAside.length === 0
      ? { message: changed, hint: 'Try again when no other program changes the project.' }
      : {
          message: `${changed} The first version of ${listFirst(leftAside)} is in ${folder}.`,
          hint: 'Copy what you need from that folder, delete it, and try again.',
        }),
  });
}

function listFirst(paths: readonly string[]): string {
  return paths.slice(0, 5).join(', ');
}

async function diff(
  workspace: WorkspaceId,
  commit: string,
  git: WorkspacePorts,
): Promise<UnappliedDiff> {
  const { repo, base, ...trees } = await loadTrees(workspace, commit, git);
  const { text, leftOut } = await diffText(repo, trees);
  const approvals = await findApprovals(repo, trees);
  const files = (await countLines(repo, base, commit)).map((file) =>
    file.kind === 'text'
      ? { path: file.path, added: file.added, removed: file.removed }
      : { path: file.path, added: null, removed: null },
  );
  return { commit, text, leftOut: leftOut.count, files, approvals: [...approvals] };
}

type Trees = {
  readonly repo: ShadowRepo;
  readonly base: string;
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
};

async function loadTrees(
  workspace: WorkspaceId,
  commit: string,
  git: WorkspacePorts,
): Promise<Trees> {
  const repo = await openShadowRepo(workspacePaths(workspace).project, git);
  // The record goes with the folder of the workspace. The refs do not.
  const base = (await readRecord(workspace))?.base ?? (await readRef(repo, baseRef(workspace)));
  if (base === undefined || (await readRef(repo, commit)) === undefined) throw lost(workspace);
  const [before, after] = [await readTree(repo, base), await readTree(repo, commit)];
  return { repo, base, before, after, changes: compareTrees(before, after) };
}

function lost(workspace: WorkspaceId): Refusal {
  const { project } = workspacePaths(workspace);
  return new Refusal({
    code: 'workspace.not-found',
    message: `The stored work of run ${workspace.run} is gone: ${project} was deleted or replaced.`,
    hint: `Read what its agent did with: supervisor logs ${workspace.run}. Then give the task again with: supervisor run`,
  });
}

function planFile(workspace: WorkspaceId): string {
  return join(workspacePaths(workspace).record, '..', 'apply.json');
}
