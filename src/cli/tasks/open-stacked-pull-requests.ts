/** Opens one pull request for each phase of a feature, each into the branch of the phase before it. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { dangersOfCommits } from '../../execution/commit-work/dangers-of-commits.ts';
import { openPullRequest } from '../../execution/commit-work/open-pull-request.ts';
import type { CliContext } from '../cli-context.ts';
import { userGit } from '../apply/user-git.ts';
import type { TaskPullRequest } from './open-task-pull-request.ts';
import { portsOf, refuseDangers } from './open-task-pull-request.ts';
import { inProjectOf } from './project-of-task.ts';
import type { StackedBranch } from './stack-of-feature.ts';
import { stackOfFeature } from './stack-of-feature.ts';

/** Resolves with their addresses, the lowest one first. It can be repeated: open ones are used. */
export async function openStackedPullRequests(
  context: CliContext,
  client: Client,
  { project, root, run, branch, draft, diff }: TaskPullRequest,
): Promise<readonly string[]> {
  refuseDangers(branch, diff);
  const feature = inProjectOf(await client.feature(run), project);
  const stack = stackOfFeature(feature);
  // A file that a later phase removes again is on the branch of an earlier one, and a server would run it.
  const commits = feature.landed.slice(0, 1).map(({ commit }) => `${commit}^`);
  for (const { tip } of stack) commits.push(tip);
  const approvals = [...(await dangersOfCommits(portsOf(context, run), root, commits))];
  refuseDangers(branch, { approvals });
  const urls: string[] = [];
  for (const one of stack) {
    await requireBranch(context, root, one);
    const opened = await openPullRequest(portsOf(context, run), {
      ...{ root, run, draft, branch: one.branch, title: one.title, body: bodyOf(one) },
      ...(one.base === null ? {} : { base: one.base }),
    });
    if (opened.kind === 'refused')
      throw refusal(opened.why, `Its commits stay on the branch ${one.branch}.`);
    urls.push(opened.url);
  }
  return urls;
}

/** A branch that a person has moved is not moved back. */
async function requireBranch(
  context: CliContext,
  root: string,
  { branch, tip }: StackedBranch,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const found = await userGit(context, root, ['rev-parse', '--verify', '--quiet', ref]);
  if (found.code === 0 && found.out.trim() === tip) return;
  const zero = '0'.repeat(tip.length);
  const made = await userGit(context, root, ['update-ref', ref, tip, zero]);
  if (made.code === 0) return;
  throw refusal(
    `The branch ${branch} exists already, and does not end with ${tip.slice(0, 12)}.`,
    `Look at it with: git log ${branch}`,
  );
}

function bodyOf({ components, base }: StackedBranch): string {
  const list = components.map((title) => `- ${title}`).join('\n');
  return base === null ? list : `${list}\n\nIt is based on the branch ${base}.`;
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-committable', message, hint });
}
