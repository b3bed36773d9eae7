/** What a branch would bring to a server besides the files that remain at the end: files that run by themselves. */
import { Refusal } from '../../base/errors.ts';
import { which } from '../../host/process/which.ts';
import type { NeededApproval } from '../../workspace/apply/approvals.ts';
import { findApprovals } from '../../workspace/apply/approvals.ts';
import type { ShadowRepo } from '../../workspace/shadow-repo.ts';
import { readTree } from '../../workspace/shadow-repo.ts';
import { compareTrees } from '../../workspace/tree-entries.ts';
import { userGitLine } from '../apply/user-git.ts';
import type { CliContext } from '../cli-context.ts';

/** Each of these commits is compared with the one before it. */
export async function dangersOfCommits(
  context: Pick<CliContext, 'env' | 'clock'>,
  root: string,
  [first, ...others]: readonly string[],
): Promise<readonly NeededApproval[]> {
  if (first === undefined) return [];
  const repo = await openRepository(context, root);
  const found: NeededApproval[] = [];
  let before = await readTree(repo, first);
  for (const commit of others) {
    const after = await readTree(repo, commit);
    const changes = compareTrees(before, after);
    found.push(...(await findApprovals(repo, { before, after, changes })));
    before = after;
  }
  return found;
}

/** The repository of the user, only to read it: nothing of its settings and attributes counts. */
async function openRepository(
  context: Pick<CliContext, 'env' | 'clock'>,
  root: string,
): Promise<ShadowRepo> {
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  const gitDir = await userGitLine(context, root, args);
  if (gitDir === undefined)
    throw new Refusal({
      code: 'workspace.git-failed',
      message: `The repository of ${root} could not be read.`,
      hint: 'Check it with: git status',
    });
  const git = which('git', context.env) ?? 'git';
  const none = { objectsDir: gitDir, scratchDir: gitDir, configFile: '/dev/null' };
  return { ...none, gitDir, ports: { git, clock: context.clock, tag: 'complete-task/read' } };
}
