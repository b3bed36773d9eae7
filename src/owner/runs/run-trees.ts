/** What the owner does with the trees of a run that is over, and where it writes down what it is about to do. */
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { readTextFile, removeFile } from '../../host/files/read-text-file.ts';
import type { Approval, WorkDiff } from '../../protocol/api.ts';
import type { ApplyPlan } from '../../workspace/apply/apply.ts';
import { executeApply, planApply } from '../../workspace/apply/apply.ts';
import type { BranchPlan } from '../../workspace/apply/apply-to-branch.ts';
import { executeBranchApply, planBranch } from '../../workspace/apply/apply-to-branch.ts';
import { findApprovals } from '../../workspace/apply/approvals.ts';
import type { AppliedEdits } from '../../workspace/apply/execute-apply.ts';
import { countLines, diffText } from '../../workspace/compare.ts';
import type { DiscardedWork } from '../../workspace/commit-tree.ts';
import { discardWorkspace, findLast, commitLeftovers } from '../../workspace/commit-work.ts';
import { stagingName } from '../../workspace/apply/staging.ts';
import type { FileChange, FileTree } from '../../workspace/tree-entries.ts';
import { compareTrees } from '../../workspace/tree-entries.ts';
import type { ShadowRepo } from '../../workspace/shadow-repo.ts';
import { openShadowRepo, readTree } from '../../workspace/shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import { requireRecord, workspacePaths } from '../../workspace/workspace.ts';

export type StoredApplyPlan =
  | { readonly kind: 'tree'; readonly plan: ApplyPlan }
  | { readonly kind: 'branch'; readonly plan: BranchPlan };

/** Every method can be called again after a death in the middle of it. */
export interface RunTrees {
  /** The last tree that a run had. */
  last(run: RunId): Promise<WorkspaceId | undefined>;
  keepWhatIsLeft(place: WorkspaceId): Promise<string | undefined>;
  discard(place: WorkspaceId): Promise<DiscardedWork>;
  diff(place: WorkspaceId, commit: string): Promise<WorkDiff>;
  /** What of the work a person has to agree to. */
  approvals(place: WorkspaceId, commit: string): Promise<readonly Approval[]>;
  /** Changes nothing. `branch`: where to; the user's tree without it. */
  plan(place: WorkspaceId, commit: string, branch: string | undefined): Promise<StoredApplyPlan>;
  /** The commit that it made, where it made one. Refuses what changed meanwhile; nothing is changed then. */
  carryOut(plan: StoredApplyPlan): Promise<string | null>;
  /** The one file of a tree about an apply that is under way, on the disk for good; undefined: none is. */
  readPlan(place: WorkspaceId): Promise<string | undefined>;
  writePlan(place: WorkspaceId, text: string): Promise<void>;
  removePlan(place: WorkspaceId): Promise<void>;
}

/** A plan is small beside the files it is about, but there may be many of them. */
const PLAN_BYTES_MAX = 50_000_000;

/** `home` is where our own state lies. */
export function realRunTrees(home: string, git: WorkspacePorts): RunTrees {
  return {
    last: (run) => findLast(home, run),
    keepWhatIsLeft: (place) => commitLeftovers(place, git),
    discard: (place) => discardWorkspace(place, git),
    diff: (place, commit) => diff(place, commit, git),
    async approvals(place, commit) {
      const { vault, ...trees } = await treesOf(place, commit, git);
      return findApprovals(vault, trees);
    },
    plan: async (place, commit, branch) =>
      branch === undefined
        ? { kind: 'tree', plan: await planApply(place, git, { commit }) }
        : { kind: 'branch', plan: await planBranch(place, git, { commit, branch }) },
    async carryOut({ kind, plan }) {
      if (kind === 'branch') return executeBranchApply(plan, git);
      return refuseIfChanged(await executeApply(plan, git), plan.place);
    },
    readPlan: (place) => readTextFile(planFile(place), PLAN_BYTES_MAX),
    writePlan: (place, text) => writeFileAtomic(planFile(place), text),
    removePlan: (place) => removeFile(planFile(place)),
  };
}

/**
 * Refuses with `workspace.changed-meanwhile`. An apply to the user's tree makes no commit. Files that were
 * written twice meanwhile lie in the staging folder, which stands in the way of the next apply.
 */
export function refuseIfChanged(
  done: AppliedEdits,
  { root, run, attempt }: Pick<WorkspaceId, 'root' | 'run' | 'attempt'>,
): null {
  if (done.kind === 'applied') return null;
  const changed = `${few(done.paths)} changed while it was being applied. Nothing was applied.`;
  const { leftAside } = done;
  const folder = join(root, stagingName(run, attempt));
  throw new Refusal({
    code: 'workspace.changed-meanwhile',
    ...(leftAside.length === 0
      ? { message: changed, hint: 'Say it again when nobody is at work in the project.' }
      : {
          message: `${changed} What was written to ${few(leftAside)} first lies in ${folder}.`,
          hint: 'Take what you need from that folder, remove it, and say it again.',
        }),
  });
}

function few(paths: readonly string[]): string {
  return paths.slice(0, 5).join(', ');
}

async function diff(place: WorkspaceId, commit: string, git: WorkspacePorts): Promise<WorkDiff> {
  const { vault, base, ...trees } = await treesOf(place, commit, git);
  const { text, leftOut } = await diffText(vault, trees);
  const approvals = await findApprovals(vault, trees);
  const files = (await countLines(vault, base, commit)).map((file) =>
    file.kind === 'text'
      ? { path: file.path, added: file.added, removed: file.removed }
      : { path: file.path, added: null, removed: null },
  );
  return { commit, text, leftOut: leftOut.count, files, approvals: [...approvals] };
}

type Trees = {
  readonly vault: ShadowRepo;
  readonly base: string;
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
};

async function treesOf(place: WorkspaceId, commit: string, git: WorkspacePorts): Promise<Trees> {
  const { base } = await requireRecord(place);
  const vault = await openShadowRepo(workspacePaths(place).project, git);
  const [before, after] = [await readTree(vault, base), await readTree(vault, commit)];
  return { vault, base, before, after, changes: compareTrees(before, after) };
}

function planFile(place: WorkspaceId): string {
  return join(workspacePaths(place).record, '..', 'apply.json');
}
