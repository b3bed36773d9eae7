/** Opens a pull request for the branch of a task, with the person's own git and gh. */
import { Refusal } from '../../base/errors.ts';
import { shortList } from '../../base/text.ts';
import { checkGhAndRemote } from '../../execution/commit-work/check-pull-request.ts';
import { openPullRequest } from '../../execution/commit-work/open-pull-request.ts';
import type { UserCommandPorts } from '../../execution/commit-work/run-as-user.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import { userGit } from '../apply/user-git.ts';

export type TaskPullRequest = {
  readonly project: string;
  readonly root: string;
  readonly run: string;
  readonly branch: string;
  readonly draft: boolean;
  readonly diff: Pick<WorkDiff, 'approvals'>;
};

const NAMES_MAX = 5;
/** Lines that only Supervisor and git need. */
const TRAILER = /^(?:Supervisor-[A-Za-z]+|Signed-off-by): /;

/** Whether it makes sense to ask the person about one. */
export async function mayOpenPullRequest(context: CliContext, root: string): Promise<boolean> {
  return (await checkGhAndRemote(portsOf(context, 'pull-request'), root)).kind === 'found';
}

/** Resolves with its address. */
export async function openTaskPullRequest(
  context: CliContext,
  { root, run, branch, draft, diff }: Omit<TaskPullRequest, 'project'>,
): Promise<string> {
  refuseDangers(branch, diff);
  const { out } = await userGit(context, root, [
    'log',
    '-1',
    '--format=%B',
    `refs/heads/${branch}`,
  ]);
  const [title = '', ...rest] = out.trim().split('\n');
  const body = rest
    .filter((line) => !TRAILER.test(line))
    .join('\n')
    .trim();
  const input = { root, run, branch, title, body, draft };
  const opened = await openPullRequest(portsOf(context, run), input);
  if (opened.kind === 'opened') return opened.url;
  throw refusal(opened.why, `The work stays on the branch ${branch}.`);
}

/** A server would run these files with its own secrets as soon as they are pushed. */
export function refuseDangers(branch: string, diff: TaskPullRequest['diff']): void {
  const dangers = diff.approvals.filter(({ needs }) => needs !== 'tests').map(({ path }) => path);
  if (dangers.length > 0)
    throw refusal(
      `Nothing was pushed, because a server may run these files by itself: ${printable(shortList([...new Set(dangers)], NAMES_MAX))}.`,
      `Look at them, then push the branch yourself: git push --set-upstream origin ${branch}`,
    );
}

export function portsOf({ clock, env }: CliContext, tag: string): UserCommandPorts {
  return { clock, env, git: 'git', tag: `complete-task/${tag}` };
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-committable', message, hint });
}
