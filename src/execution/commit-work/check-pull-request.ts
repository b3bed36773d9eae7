/**
 * Checks before a branch is pushed for a pull request: whether `gh` and a remote are there, whether the branch on the
 * remote is of this run, and whether a pull request exists. Nothing is pushed here.
 */
import { isRecord, parseJson } from '../../base/json.ts';
import { which } from '../../host/process/which.ts';
import { runOfMessage } from '../../protocol/run-trailer.ts';
import type { UserCommandAnswer, UserCommandPorts } from './run-as-user.ts';
import { runAsUser } from './run-as-user.ts';

export type PullRequestCheck =
  | {
      readonly kind: 'possible';
      readonly gh: string;
      readonly remote: string;
      /** The address of the pull request that this run has opened before. */
      readonly existing: string | undefined;
    }
  | { readonly kind: 'refused'; readonly why: string };

export async function checkPullRequest(
  ports: UserCommandPorts,
  root: string,
  { run, branch }: { readonly run: string; readonly branch: string },
): Promise<PullRequestCheck> {
  const needs = await checkGhAndRemote(ports, root);
  if (needs.kind === 'refused') return needs;
  const { gh, remote } = needs;
  const isOwn = (commit: string): Promise<boolean> => isOfRun(ports, root, commit, run);
  const heads = await runAsUser(
    ports,
    [ports.git, 'ls-remote', '--heads', remote, `refs/heads/${branch}`],
    root,
  );
  if (heads.problem !== undefined)
    return refused(`The remote ${remote} does not answer: ${heads.problem}`);
  const [tip = ''] = heads.out.split(/\s/, 1);
  if (tip !== '' && !(await isOwn(tip)))
    return refused(
      `The branch ${branch} exists on ${remote}, and its last commit ${tip.slice(0, 12)} is not of this run. Nothing was pushed.`,
    );
  const listed = await runAsUser(ports, [gh, ...LIST_OPEN, branch], root);
  const found = readList(listed);
  if (typeof found === 'string') return refused(`gh could not list pull requests: ${found}`);
  for (const { url, head } of found)
    if (await isOwn(head)) return { kind: 'possible', gh, remote, existing: url };
  const [other] = found;
  if (other !== undefined)
    return refused(
      `A pull request from a branch called ${branch} is open already: ${other.url} Nothing was pushed.`,
    );
  return { kind: 'possible', gh, remote, existing: undefined };
}

type GhAndRemote =
  | { readonly kind: 'found'; readonly gh: string; readonly remote: string }
  | { readonly kind: 'refused'; readonly why: string };

/** What every pull request needs, before there is a branch. */
export async function checkGhAndRemote(
  ports: UserCommandPorts,
  root: string,
): Promise<GhAndRemote> {
  const gh = which('gh', ports.env);
  if (gh === undefined)
    return refused('The program gh, which opens pull requests, is not on the PATH.');
  const { out } = await runAsUser(ports, [ports.git, 'remote'], root);
  const remote = chooseRemote(out);
  if (remote === undefined)
    return refused(
      'The repository has no remote to push to. Add one with: git remote add origin URL',
    );
  return { kind: 'found', gh, remote };
}

const OPEN_MAX = 10;
const LIST_OPEN = [
  ...['pr', 'list', '--state', 'open', '--limit', String(OPEN_MAX)],
  ...['--json', 'url,headRefOid', '--head'],
];

type OpenRequest = { readonly url: string; readonly head: string };

/** A text says what is wrong. */
function readList({ out, problem }: UserCommandAnswer): readonly OpenRequest[] | string {
  if (problem !== undefined) return problem;
  const list = parseJson(out);
  if (!Array.isArray(list)) return 'it printed no list';
  return list.flatMap((one: unknown) => {
    const { url, headRefOid: head } = isRecord(one) ? one : {};
    return typeof url === 'string' && typeof head === 'string' ? [{ url, head }] : [];
  });
}

/** Whether this repository has the commit, and the run made it. */
async function isOfRun(
  ports: UserCommandPorts,
  root: string,
  commit: string,
  run: string,
): Promise<boolean> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return false;
  const args = ['log', '-1', '--format=%B', commit, '--'];
  const { out, problem } = await runAsUser(ports, [ports.git, ...args], root);
  return problem === undefined && runOfMessage(out) === run;
}

/** `origin`, or the first one. */
function chooseRemote(out: string): string | undefined {
  const names = out.split('\n').filter((name) => name !== '');
  return names.includes('origin') ? 'origin' : names[0];
}

function refused(why: string): { readonly kind: 'refused'; readonly why: string } {
  return { kind: 'refused', why };
}
