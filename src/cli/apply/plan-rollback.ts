/** Decides how the work of a task is taken out again: from the files, from the branch, or with its own branch. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { isInPlace, wasThere } from '../../protocol/views/applied-view.ts';
import { runOfMessage } from '../../protocol/run-trailer.ts';
import type { CliContext } from '../cli-context.ts';
import { requireRoot } from './commit-applied.ts';
import { checkedOutBranch } from './merge-branch.ts';
import { findTaskWork } from '../tasks/task-work.ts';
import { requireUncommitted } from './undo-applied.ts';
import { userGit, userGitLine } from './user-git.ts';

export type Rollback =
  /** The work was applied and not committed. */
  | { readonly kind: 'restore-files'; readonly files: number }
  /** The branch that is checked out has these commits, newest first. */
  | {
      readonly kind: 'revert-commits';
      readonly root: string;
      readonly branch: string | undefined;
      readonly commits: readonly string[];
      readonly files: readonly string[];
      /** Only this phase of a feature. Absent: the work of a task. */
      readonly phase?: string;
    }
  /** The branch of a feature ends with the commits of this phase. */
  | {
      readonly kind: 'shorten-branch';
      readonly root: string;
      readonly branch: string;
      readonly tip: string;
      /** The commit that it ends with then. */
      readonly to: string;
      readonly commits: readonly string[];
      readonly phase: string;
    }
  /** Only a branch of its own has the work. */
  | {
      readonly kind: 'delete-branch';
      readonly root: string;
      readonly branch: string;
      readonly tip: string;
      readonly pullRequest: string | null;
    };

/**
 * Changes nothing. Refuses if there is nothing to take out, or if that would lose something. `project`: one of those that
 * a feature spans.
 */
export async function planRollback(
  context: CliContext,
  client: Client,
  view: RunView,
  project: string,
): Promise<Rollback> {
  const { id } = view;
  // An apply is always to the files of the project that the run belongs to.
  const isOwn = project === view.project;
  const files = isOwn ? await appliedFiles(context, client, id) : 0;
  if (files > 0) return { kind: 'restore-files', files };
  const root = await requireRoot(context, project);
  const commits = await commitsOfRun(context, root, id);
  if (commits.length > 0)
    return {
      kind: 'revert-commits',
      ...{ root, commits, files: await filesOf(context, root, commits) },
      branch: await checkedOutBranch(context, root),
    };
  const work = await findTaskWork(context, client, view, project);
  if (work.kind !== 'branch') throw nothingThere(id, isOwn ? undefined : project);
  const { branch, tip, pullRequest } = work;
  await requireOwnBranch(context, root, { id, branch, tip });
  // The work has to be kept elsewhere before its branch goes.
  await client.diff(id, isOwn ? undefined : project);
  return { kind: 'delete-branch', root, branch, tip, pullRequest };
}

/** How many files have the work and no commit of it. */
async function appliedFiles(context: CliContext, client: Client, id: string): Promise<number> {
  await requireUncommitted(context, client, id);
  const { applied } = await client.applyDetails(id);
  const isThere = applied !== null && isInPlace(applied) && !wasThere(applied);
  return isThere && applied.kind === 'files' && applied.commit === null ? applied.files : 0;
}

const COMMITS_MAX = 100;

/** The commits of a run in the history of the checkout that are not reverted yet, newest first. */
async function commitsOfRun(
  context: CliContext,
  root: string,
  run: string,
): Promise<readonly string[]> {
  const trailer = `--grep=^Supervisor-Run: ${run}$`;
  const limits = ['--no-merges', `--max-count=${COMMITS_MAX}`, '-z', '--format=%H%n%B'];
  const { code, out } = await userGit(context, root, ['log', ...limits, trailer, 'HEAD']);
  const found = out
    .split('\0')
    .filter((entry) => code === 0 && isOfRun(entry, run))
    .map((entry) => entry.split('\n', 1)[0] ?? '');
  const open: string[] = [];
  for (const commit of found) if (!(await isReverted(context, root, commit))) open.push(commit);
  return open;
}

/** `git commit --signoff` adds its line below the trailer. */
function isOfRun(entry: string, run: string): boolean {
  return runOfMessage(entry) === run;
}

export async function isReverted(
  context: CliContext,
  root: string,
  commit: string,
): Promise<boolean> {
  const args = [
    'log',
    '-1',
    '--format=%H',
    '--fixed-strings',
    `--grep=This reverts commit ${commit}`,
  ];
  return (await userGitLine(context, root, [...args, `${commit}..HEAD`])) !== undefined;
}

export async function filesOf(
  context: CliContext,
  root: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  const args = ['show', '--no-renames', '--name-only', '-z', '--format=', ...commits];
  const { out } = await userGit(context, root, args);
  return [...new Set(out.split('\0').filter(Boolean))];
}

async function requireOwnBranch(
  context: CliContext,
  root: string,
  { id, branch, tip }: { readonly id: string; readonly branch: string; readonly tip: string },
): Promise<void> {
  const { out } = await userGit(context, root, ['log', '-1', '--format=%B', tip]);
  if (!isOfRun(out, id))
    throw refusal(
      `The last commit of the branch ${branch} is not of task ${id}. Nothing was deleted.`,
      `Look at it with: git log ${branch}`,
    );
  await requireNoCheckout(context, root, branch);
}

/** A branch that moves under a checkout makes its files look changed. */
export async function requireNoCheckout(
  context: CliContext,
  root: string,
  branch: string,
): Promise<void> {
  const args = ['for-each-ref', '--format=%(worktreepath)', `refs/heads/${branch}`];
  const checkout = await userGitLine(context, root, args);
  if (checkout !== undefined)
    throw refusal(
      `The branch ${branch} is checked out in ${checkout}. Nothing was changed.`,
      'Check out another branch there.',
    );
}

/** `project`: another one than that of the run. */
function nothingThere(id: string, project: string | undefined): Refusal {
  const where = project === undefined ? 'your branch or your files' : `a branch of ${project}`;
  return refusal(
    `The task ${id} has brought nothing into ${where}, so there is nothing to roll back.`,
    `See what it did with: supervisor why ${id}`,
  );
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-undoable', message, hint });
}
