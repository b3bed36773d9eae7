/**
 * Pushes a branch and opens a pull request for it with `gh`, as the user would: with their own login, outside the
 * sandbox. It runs only if the user allows it (`git.pull_requests`). It can be repeated: an open pull request of the
 * branch is used.
 */
import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { cutAtWord, oneLine } from '../../base/text.ts';
import { runCommand } from '../../host/process/run-command.ts';
import { which } from '../../host/process/which.ts';

export type PullRequestPorts = {
  readonly clock: Clock;
  readonly tag: string;
  readonly git: string;
  /** The user's own environment: `gh` and git find their logins by it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
};

export type PullRequestInput = {
  /** The root of the user's repository. */
  readonly root: string;
  readonly branch: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
};

export type PullRequestResult =
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'refused'; readonly why: string };

const TITLE_MAX = 72;
const BODY_MAX = 60_000;
const COMMAND_MS_MAX = 300_000;
const OUTPUT_BYTES_MAX = 1_000_000;

export async function openPullRequest(
  ports: PullRequestPorts,
  { root, branch, title, body, draft }: PullRequestInput,
): Promise<PullRequestResult> {
  const gh = which('gh', ports.env);
  if (gh === undefined)
    return refused('The program gh, which opens pull requests, is not on the PATH of the owner.');
  const run = (argv: readonly [string, ...string[]], stdin = ''): Promise<Answer> =>
    runAsUser(ports, argv, root, stdin);
  const remotes = await run([ports.git, 'remote']);
  const remote = chooseRemote(remotes.out);
  if (remote === undefined) return refused('The repository has no remote to push to.');
  const ref = `refs/heads/${branch}`;
  const pushed = await run([ports.git, 'push', '--quiet', remote, `${ref}:${ref}`]);
  if (pushed.problem !== undefined)
    return refused(`The branch could not be pushed to ${remote}: ${pushed.problem}`);
  const listed = await run([
    gh,
    ...['pr', 'list', '--state', 'open', '--limit', '1', '--head', branch],
    ...['--json', 'url', '--jq', '.[0].url // ""'],
  ]);
  if (listed.problem !== undefined)
    return refused(`gh could not list pull requests: ${listed.problem}`);
  const existing = findUrl(listed.out);
  if (existing !== undefined) return { kind: 'opened', url: existing };
  const flags = draft ? ['--draft'] : [];
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

type Answer = { readonly out: string; readonly problem?: string };

/** Variables of a git hook, which would lead git to another repository. */
const REPOSITORY_VARIABLE = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT)/;

async function runAsUser(
  { clock, tag, env, signal }: PullRequestPorts,
  argv: readonly [string, ...string[]],
  cwd: string,
  stdin: string,
): Promise<Answer> {
  const own = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || REPOSITORY_VARIABLE.test(name) ? [] : [[name, value] as const],
  );
  const quiet = { GIT_TERMINAL_PROMPT: '0', GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  const answer = await runCommand(
    { argv, cwd, env: { ...Object.fromEntries(own), ...quiet }, stdin },
    {
      clock,
      tag: `${tag}/pull-request`,
      deadlineMs: COMMAND_MS_MAX,
      outputBytesMax: OUTPUT_BYTES_MAX,
      ...defined({ signal }),
    },
  );
  switch (answer.kind) {
    case 'ended': {
      const out = answer.stdout.toString('utf8');
      if (answer.code === 0) return { out };
      const said = answer.stderr.trim().split('\n').at(-1) ?? '';
      return { out, problem: `exit ${answer.code}: ${cutAtWord(oneLine(said), 300)}` };
    }
    case 'late':
      return { out: '', problem: `no answer within ${COMMAND_MS_MAX / 60_000} minutes` };
    case 'called-off':
      return { out: '', problem: 'it was stopped' };
    case 'flooded':
      return { out: '', problem: 'it printed too much' };
    case 'not-started':
      return { out: '', problem: answer.message };
  }
}

/** `origin`, or the only one. */
function chooseRemote(out: string): string | undefined {
  const names = out.split('\n').filter((name) => name !== '');
  return names.includes('origin') ? 'origin' : names[0];
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
