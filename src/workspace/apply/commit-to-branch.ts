/**
 * Commits the work of a run on a branch of its own. It can be repeated: a branch whose last commit is of the same run
 * and has the same files is left as it is. Newer work of the run becomes one more commit. If the last commit of the
 * branch is not of this run, the branch is refused.
 */
import { Refusal } from '../../base/errors.ts';
import { runOfMessage } from '../../protocol/run-trailer.ts';
import { runGit } from '../git.ts';
import type { GitProject } from '../project.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace.ts';
import type { BranchStart } from './apply-to-branch.ts';
import {
  branchTip,
  executeBranchApply,
  findBase,
  planBranch,
  requireRepository,
} from './apply-to-branch.ts';
import { withTrailers } from './commit-trailers.ts';
import type { CommitTrailers } from './commit-trailers.ts';

export type BranchCommitRequest = {
  /** The state of the work in the shadow repository. */
  readonly commit: string;
  readonly branch: string;
  readonly message: string;
  readonly trailers: CommitTrailers;
};

/** How many commits one look at the branch reads. A feature commits once for each of its components. */
const PAGE = 250;

/** Resolves with the commit that the branch points to. Refuses a branch of others, a conflict, and work without changes. */
export async function commitToBranch(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  { commit, branch, message, trailers }: BranchCommitRequest,
): Promise<string> {
  const project = await requireRepository(workspace, ports);
  const start = await findStart(workspace, project, ports, branch, trailers.run);
  const text = withTrailers(message, trailers);
  const plan = await planBranch(workspace, ports, { commit, branch, message: text, start });
  if (plan.edits.length === 0 && start.tip === undefined)
    throw new Refusal({
      code: 'workspace.not-committable',
      message: 'The work changes no file, so there is nothing to commit.',
      hint: 'Resume the run with a clearer task.',
    });
  return executeBranchApply(plan, ports);
}

/**
 * A new branch starts from the commit that the work began with, so that it contains what the gates have checked. The
 * user merges it with what is newer.
 */
async function findStart(
  workspace: WorkspaceId,
  project: GitProject,
  ports: WorkspacePorts,
  branch: string,
  run: string,
): Promise<BranchStart> {
  const tip = await branchTip(project, ports, branch);
  const last = tip === undefined ? undefined : await lastForeign(project, ports, tip, run);
  if (tip !== undefined && last !== undefined && last !== tip) return { onto: last, tip };
  return { onto: (await findBase(workspace, project, ports)) ?? project.head ?? '' };
}

/** The newest commit of the branch that is not of this run. Undefined: all of its history is of this run. */
async function lastForeign(
  { gitDir }: GitProject,
  ports: WorkspacePorts,
  tip: string,
  run: string,
): Promise<string | undefined> {
  const args = ['log', '--first-parent', `--max-count=${PAGE}`, '-z', '--format=%H%n%B'];
  for (let from = tip, skipped = 0; ;) {
    const { stdout } = await runGit(ports, [...args, `--skip=${skipped}`, from], { gitDir });
    // Each entry ends with a NUL.
    const entries = stdout.toString('utf8').split('\0').slice(0, -1);
    const foreign = entries.find((entry) => runOfMessage(entry) !== run);
    if (foreign !== undefined || entries.length < PAGE) return foreign?.slice(0, tip.length);
    // The next page begins after the last commit of this one.
    from = entries.at(-1)?.slice(0, tip.length) ?? tip;
    skipped = 1;
  }
}
