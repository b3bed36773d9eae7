/**
 * Pushes a branch and opens a pull request for it with `gh`, as the user would: with their own login, outside the
 * sandbox. It runs only if the user allows it. It can be repeated: an open pull request of the same run is used.
 */
import { cutAtWord, oneLine } from '../../base/text.ts';
import { checkPullRequest } from './check-pull-request.ts';
import type { UserCommandAnswer, UserCommandPorts } from './run-as-user.ts';
import { runAsUser } from './run-as-user.ts';

export type PullRequestPorts = UserCommandPorts;

export type PullRequestInput = {
  /** The root of the user's repository. */
  readonly root: string;
  /** Its commits are on the branch. */
  readonly run: string;
  readonly branch: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  /** The branch that it is to be merged into. Absent: the usual one of the repository. */
  readonly base?: string;
};

export type PullRequestResult =
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'refused'; readonly why: string };

const TITLE_MAX = 72;
const BODY_MAX = 60_000;

export async function openPullRequest(
  ports: PullRequestPorts,
  { root, run: id, branch, title, body, draft, base }: PullRequestInput,
): Promise<PullRequestResult> {
  const checked = await checkPullRequest(ports, root, { run: id, branch });
  if (checked.kind === 'refused') return checked;
  const { gh, remote, existing } = checked;
  const run = (argv: readonly [string, ...string[]], stdin = ''): Promise<UserCommandAnswer> =>
    runAsUser(ports, argv, root, stdin);
  const ref = `refs/heads/${branch}`;
  const pushed = await run([ports.git, 'push', '--quiet', remote, `${ref}:${ref}`]);
  if (pushed.problem !== undefined)
    return refused(`The branch could not be pushed to ${remote}: ${pushed.problem}`);
  if (existing !== undefined) return { kind: 'opened', url: existing };
  const flags = [...(draft ? ['--draft'] : []), ...(base === undefined ? [] : [`--base=${base}`])];
  const shortTitle = cutAtWord(oneLine(title), TITLE_MAX);
  const created = await run(
    [gh, 'pr', 'create', `--head=${branch}`, `--title=${shortTitle}`, '--body-file=-', ...flags],
    body.slice(0, BODY_MAX),
  );
  const url = findUrl(created.out);
  if (created.problem !== undefined || url === undefined)
    return refused(
      `gh could not open a pull request: ${created.problem ?? 'it printed no address'}`,
    );
  return { kind: 'opened', url };
}

function findUrl(out: string): string | undefined {
  return out
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => /^https?:\/\/\S+$/.test(line));
}

function refused(why: string): PullRequestResult {
  return { kind: 'refused', why };
}
