/**
 * `apply --commit`: one commit with the applied files and nothing else, made by the user's own git. Everything that can
 * be refused is refused before a file changes. If git or a hook fails afterwards, the files stay applied.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import { blobId } from '../../host/git/git-object.ts';
import type { ApplyDetails } from '../../protocol/api.ts';
import { RUN_TRAILER } from '../../protocol/run-trailer.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import { userGit, userGitLine } from './user-git.ts';

type GitContext = Pick<CliContext, 'env' | 'err'>;

/** A commit with all of the work, and the branch that is checked out. */
export type MadeCommit = { readonly made: string; readonly branch: string | null };

/** The root of the repository of a project. */
export async function requireRoot(
  context: GitContext,
  project: string,
  hint = 'Create one with: git init',
): Promise<string> {
  const root = await userGitLine(context, project, ['rev-parse', '--show-toplevel']);
  if (root !== undefined) return root;
  throw refusal(`${project} is not in a git repository, so there is nothing to commit to.`, hint);
}

/** The root of the repository, if a commit is possible there. `paths`: what it would contain. */
export async function requireCommittable(
  context: GitContext,
  project: string,
  paths: readonly string[],
): Promise<string> {
  const root = await requireRoot(context, project, 'Leave out --commit.');
  await requireIdentity(context, root);
  for (const head of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'])
    if (
      (await userGitLine(context, root, ['rev-parse', '--verify', '--quiet', head])) !== undefined
    )
      throw refusal(
        `A merge, cherry-pick or revert is under way in ${root}.`,
        'Complete or abort it first, or leave out --commit.',
      );
  const replaced = paths.find((path) => paths.some((other) => other.startsWith(`${path}/`)));
  if (replaced !== undefined)
    throw refusal(
      `In the work, ${printable(replaced)} changes between a file and a folder. git cannot commit this alone.`,
      'Leave out --commit, and commit the files yourself.',
    );
  const dirty = await changedPaths(context, root, paths);
  if (dirty.length > 0) throw mixed(dirty);
  return root;
}

/**
 * Refuses if one of the files had changes of the user before the apply, or if only a part of one is staged: the commit
 * would contain the changes, or replace what is staged. Files without a change are not committed, so they are ignored.
 */
export async function requireUnmixed(
  context: GitContext,
  root: string,
  files: ApplyDetails['files'],
): Promise<void> {
  const found = await statusOf(
    context,
    root,
    files.map(({ path }) => path),
  );
  const partly = found.filter(({ isPartlyStaged }) => isPartlyStaged).map(({ path }) => path);
  if (partly.length > 0)
    throw refusal(
      `You staged a part of the changes in ${names(partly)}, and the commit would contain all of them.`,
      'Commit what you staged with your own git, or unstage it.',
    );
  const changed = new Set(found.map(({ path }) => path));
  const mixedWith: string[] = [];
  for (const { path, before } of files)
    if (changed.has(path) && (await committedContent(context, root, path)) !== before)
      mixedWith.push(path);
  if (mixedWith.length > 0) throw mixed(mixedWith);
}

/** Identifies a file of the last commit as git writes it to the disk, with line ends and filters. Null: there is none. */
async function committedContent(
  context: GitContext,
  root: string,
  path: string,
): Promise<string | null> {
  const args = ['cat-file', '--filters', `HEAD:${path}`];
  const { code, bytes } = await userGit(context, root, args);
  return code === 0 ? blobId(bytes) : null;
}

/**
 * The commit that already has the work: a command that died after its commit did not record it. `since`: milliseconds
 * since 1970.
 */
export async function findRunCommit(
  context: GitContext,
  root: string,
  { run, since }: { readonly run: string; readonly since: number },
): Promise<MadeCommit | undefined> {
  const trailer = `${RUN_TRAILER}: ${run}`;
  const limits = ['-1', `--since=@${Math.floor(since / 1000) - 1}`, '--format=%H'];
  const args = ['log', ...limits, '--fixed-strings', `--grep=${trailer}`, 'HEAD'];
  const made = await userGitLine(context, root, args);
  return made === undefined ? undefined : { made, branch: await currentBranch(context, root) };
}

/** Undefined: the last commit already has these files as they are. Refuses if git or a hook fails. */
export async function commitFiles(
  context: GitContext,
  root: string,
  { run, paths, message }: { run: string; paths: readonly string[]; message: string },
): Promise<MadeCommit | undefined> {
  const changed = await changedPaths(context, root, paths);
  const { out } = await userGit(context, root, ['ls-files', '-z']);
  const tracked = new Set(out.split('\0'));
  const known = new Set([...tracked, ...changed]);
  await warnOfIgnored(
    context,
    root,
    paths.filter((path) => !known.has(path)),
  );
  if (changed.length === 0) return undefined;
  // `git commit` takes only paths that it knows. This makes new files known, and stages no content.
  const added = changed.filter((path) => !tracked.has(path));
  await changeIndex(context, root, ['add', '--intent-to-add'], added);
  const folder = await mkdtemp(join(tmpdir(), 'supervisor-commit-'));
  try {
    const file = join(folder, 'message');
    await writeFile(file, message);
    const args = ['commit', '--quiet', '--only', '--signoff', '--cleanup=whitespace', '-F', file];
    const answer = await userGit(context, root, [...args, ...FROM_STDIN], {
      stdin: pathspecs(changed),
      onError: (text) => context.err(printable(text), 'verbatim'),
    });
    if (answer.code !== 0) {
      await changeIndex(context, root, ['rm', '--cached', '--quiet', '--force'], added);
      throw refusal(
        `git commit failed with code ${answer.code}. The files are applied and not committed.`,
        `Correct what git or your hook reports, then: supervisor apply --commit ${run}`,
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const made = await userGitLine(context, root, ['rev-parse', 'HEAD']);
  return { made: made ?? '', branch: await currentBranch(context, root) };
}

/** Records the commit, so that `status`, `why` and `report` know it. */
export async function recordCommit(
  client: Client,
  run: string,
  { made, branch }: MadeCommit,
): Promise<void> {
  await client.committed(run, { made, branch });
}

const FROM_STDIN = ['--pathspec-from-file=-', '--pathspec-file-nul'];

/** A path may look like a pattern. The option for literal paths would also change what hooks do. */
function pathspecs(paths: readonly string[]): string {
  return paths.map((path) => `:(top,literal)${path}\0`).join('');
}

async function changeIndex(
  context: GitContext,
  root: string,
  command: readonly string[],
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const stdin = pathspecs(paths);
  const { code, err } = await userGit(context, root, [...command, ...FROM_STDIN], { stdin });
  if (code !== 0)
    throw refusal(
      `git ${command[0]} failed: ${errorLine(err)}`,
      'The files are applied. Commit them with your own git.',
    );
}

type PathStatus = { readonly path: string; readonly isPartlyStaged: boolean };

/** Those of these paths that differ from the last commit: changed, staged, deleted or untracked, but not ignored. */
async function statusOf(
  context: GitContext,
  root: string,
  paths: readonly string[],
): Promise<readonly PathStatus[]> {
  const wanted = new Set(paths);
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'];
  const { code, out, err } = await userGit(context, root, args);
  if (code !== 0)
    throw refusal(`git status failed: ${errorLine(err)}`, 'Check it with: git status');
  return out
    .split('\0')
    .map((line) => ({ path: line.slice(3), isPartlyStaged: /^[MTADC][MTD] /.test(line) }))
    .filter(({ path }) => wanted.has(path));
}

async function changedPaths(
  context: GitContext,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  return (await statusOf(context, root, paths)).map(({ path }) => path);
}

/** A new file may match a rule of the user, such as one for all of their repositories. */
async function warnOfIgnored(
  context: GitContext,
  root: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const stdin = paths.map((path) => `${path}\0`).join('');
  const { out } = await userGit(context, root, ['check-ignore', '-z', '--stdin'], { stdin });
  const ignored = out.split('\0').filter(Boolean);
  if (ignored.length > 0)
    context.err(
      `warning: the commit lacks ${plural(ignored.length, 'file')} that your git ignores: ${names(ignored)}\n`,
    );
}

/** Advice follows the line that says what is wrong. */
function errorLine(err: string): string {
  const lines = err.trim().split('\n');
  return printable(lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? '');
}

async function currentBranch(context: GitContext, root: string): Promise<string | null> {
  return (await userGitLine(context, root, ['symbolic-ref', '--quiet', '--short', 'HEAD'])) ?? null;
}

/** Git would otherwise guess a name from the account and the machine. */
async function requireIdentity(context: GitContext, root: string): Promise<void> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const args = ['-c', 'user.useConfigOnly=true', 'var', who];
    if ((await userGitLine(context, root, args)) === undefined)
      throw refusal(
        'git does not know your name and address.',
        'Set them with: git config --global user.name "Your Name" && git config --global user.email you@example.com',
      );
  }
}

function mixed(paths: readonly string[]): Refusal {
  return refusal(
    `You have changes of your own in ${names(paths)}, and the commit would contain them.`,
    'Commit or stash them first, or leave out --commit and commit the files yourself.',
  );
}

function names(paths: readonly string[]): string {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return `${paths.slice(0, 5).map(printable).join(', ')}${more}`;
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-committable', message, hint });
}
