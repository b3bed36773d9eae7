/** Merges a branch into the one that is checked out, with the user's own git: their settings and hooks count. */
import { Refusal } from '../../base/errors.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import { userGit, userGitLine } from './user-git.ts';

/** Undefined: no branch is checked out. */
export function checkedOutBranch(context: CliContext, root: string): Promise<string | undefined> {
  return userGitLine(context, root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
}

/** Whether the branch that is checked out has everything of this one. */
export async function isMerged(context: CliContext, root: string, tip: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', tip, 'HEAD'];
  return (await userGit(context, root, args)).code === 0;
}

/** Operations of git that a person has begun. Ours would mix with them. */
const UNDER_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'];

export async function requireNothingUnderWay(context: CliContext, root: string): Promise<void> {
  for (const head of UNDER_WAY) {
    const args = ['rev-parse', '--verify', '--quiet', head];
    if ((await userGitLine(context, root, args)) === undefined) continue;
    throw new Refusal({
      code: 'workspace.not-committable',
      message: `A merge, cherry-pick, revert or rebase is under way in ${root}.`,
      hint: 'Complete or abort it first.',
    });
  }
}

/** Resolves with the commit that is checked out then. A merge that fails is taken back, and the branch stays. */
export async function mergeBranch(
  context: CliContext,
  root: string,
  branch: string,
): Promise<string> {
  await requireNothingUnderWay(context, root);
  const target = await checkedOutBranch(context, root);
  if (target === undefined)
    throw new Refusal({
      code: 'workspace.not-committable',
      message: `No branch is checked out in ${root}, so there is nothing to merge into.`,
      hint: `Check one out, then merge with: git merge ${branch}`,
    });
  await runOrTakeBack(context, root, ['merge', '--no-edit', `refs/heads/${branch}`], {
    abort: ['merge', '--abort'],
    failed: (why) =>
      `The branch ${branch} could not be merged into ${target}: ${why} The work stays on ${branch}.`,
    hint: `Merge it yourself with: git merge ${branch}`,
  });
  return (await userGitLine(context, root, ['rev-parse', 'HEAD'])) ?? '';
}

type OnFailure = {
  readonly abort: readonly string[];
  readonly failed: (why: string) => string;
  readonly hint: string;
};

/** If git fails, what it has begun is aborted, so that the files are as before. */
export async function runOrTakeBack(
  context: CliContext,
  root: string,
  args: readonly string[],
  { abort, failed, hint }: OnFailure,
): Promise<void> {
  const { code, out, err } = await userGit(context, root, args);
  if (code === 0) return;
  // It fails if git has begun nothing.
  await userGit(context, root, abort);
  const lines = `${out}\n${err}`.split('\n').map((line) => line.trim());
  const said =
    lines.find((line) => line.startsWith('CONFLICT')) ??
    lines.find((line) => /^(?:error|fatal):/.test(line)) ??
    `git ended with code ${code}.`;
  const why = printable(said).replace(/[.:]?$/, '.');
  throw new Refusal({ code: 'workspace.conflict', message: failed(why), hint });
}
