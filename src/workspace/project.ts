/**
 * Finds out what the user's project is, as far as a workspace needs it. Only reads, and runs nothing that its
 * configuration names.
 */
import { join, resolve } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { isWithin, sharingObjection, secretPaths } from '../base/secret-paths.ts';
import { accountHome } from '../host/machine/account-home.ts';
import { readPath } from '../host/files/tree/read-tree.ts';
import { realPath } from '../host/files/real-path.ts';
import { realPathSync as realPathNow } from '../host/files/real-path.ts';
import type { GitAnswer, GitCall, GitPorts } from './git.ts';
import { nulSeparated, runGit } from './git.ts';

export type Project =
  | { readonly kind: 'folder'; readonly root: string; readonly inside: string }
  | GitProject;

export type GitProject = {
  readonly kind: 'git';
  /** The root of the working tree, without symlinks in its path. */
  readonly root: string;
  /** The user's folder inside it, `''` at the root. */
  readonly inside: string;
  readonly gitDir: string;
  /** The same as `gitDir`, except for a linked worktree: there it is the directory of the main repository. */
  readonly commonDir: string;
  /** The checked-out commit. Undefined before the first commit. */
  readonly head: string | undefined;
  /** Undefined if no branch is checked out. */
  readonly branch: string | undefined;
  readonly isSha1: boolean;
  readonly isShallow: boolean;
  readonly isPartial: boolean;
  readonly isSparse: boolean;
  readonly isLinkedWorktree: boolean;
};

export type ProjectLocation = {
  readonly path: string;
  /** The folder of our own state. */
  readonly home: string;
};

/** Our own state, and the user's home. */
type Homes = { readonly home: string; readonly userHome: string };

export type ProjectPorts = GitPorts & {
  /** The user's home, which is never a project. */
  readonly userHome: string;
};

const LOCATE_ARGS = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--is-inside-work-tree',
  '--absolute-git-dir',
  '--git-common-dir',
  '--is-shallow-repository',
  '--show-object-format',
  // Last, because it fails where there is no work tree.
  '--show-toplevel',
];

const SPARSE = 'core.sparsecheckout';
const SETTINGS = String.raw`^(extensions\.partialclone|remote\..*\.promisor|core\.sparsecheckout)$`;

/** These calls read a few small files. A git that needs longer hangs, and a person waits for the answer. */
const ANSWER_MS_MAX = 20_000;

/** Refuses a path without files to work on, and one that contains far more than a project. */
export async function inspectProject(
  ports: ProjectPorts,
  location: ProjectLocation,
): Promise<Project> {
  const path = await realPath(location.path);
  if (path === undefined) throw unsupported(`The folder ${location.path} does not exist.`);
  const homes = { home: location.home, userHome: ports.userHome };
  const located = await runGit(ports, LOCATE_ARGS, {
    workTree: path,
    okCodes: [128],
    deadlineMs: ANSWER_MS_MAX,
  });
  const [bare, inWorkTree, gitDir = '', commonDir = '', shallow, format, root = path] =
    lines(located);
  if (bare === undefined) return folderProject(path, homes);
  if (bare !== 'true' && bare !== 'false') throw unknownGit(ports.git);
  if (bare === 'true' || inWorkTree !== 'true') {
    throw unsupported(`${location.path} is a bare repository, or is inside one: it has no files.`);
  }
  await refuseTooWide(root, homes);
  const call: GitCall = {
    gitDir,
    workTree: root,
    okCodes: [1, 128],
    deadlineMs: ANSWER_MS_MAX,
  };
  const ask = async (...args: readonly string[]): Promise<GitAnswer | undefined> => {
    const answer = await runGit(ports, args, call);
    return answer.code === 0 ? answer : undefined;
  };
  const [head, branch, settings] = await Promise.all([
    ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('config', '--null', '--get-regexp', SETTINGS),
  ]);
  const set = settings === undefined ? [] : nulSeparated(settings.stdout).map(parseSetting);
  return {
    kind: 'git',
    root,
    inside: path === root ? '' : path.slice(root.length + 1),
    gitDir,
    commonDir,
    head: firstLine(head),
    branch: firstLine(branch),
    isSha1: format === 'sha1',
    isShallow: shallow === 'true',
    isPartial: set.some(({ key }) => key !== SPARSE),
    isSparse: set.findLast(({ key }) => key === SPARSE)?.isOn ?? false,
    isLinkedWorktree: gitDir !== commonDir,
  };
}

function firstLine(answer: GitAnswer | undefined): string | undefined {
  return answer === undefined ? undefined : lines(answer)[0];
}

/** Git prints a key, and its value in the next line. A key without a value is on. */
function parseSetting(text: string): { readonly key: string; readonly isOn: boolean } {
  const [key = '', value] = text.split('\n');
  const isOn = value === undefined || /^(true|yes|on|-?0*[1-9]\d*[kmg]?)$/i.test(value);
  return { key, isOn };
}

/** One entry of the user's own index. */
export type Tracked = {
  readonly path: string;
  readonly isSubmodule: boolean;
  /** Excluded from the working tree by a sparse checkout. */
  readonly isLeftOut: boolean;
  readonly isUnmerged: boolean;
};

export async function listTracked(
  ports: GitPorts,
  { gitDir, root }: GitProject,
): Promise<readonly Tracked[]> {
  const call: GitCall = { gitDir, workTree: root };
  const { stdout } = await runGit(ports, ['ls-files', '-z', '-t', '--stage'], call);
  return nulSeparated(stdout).map((line) => {
    const [head = ''] = line.split('\t', 1);
    const [tag, mode, , stage] = head.split(' ');
    return {
      path: line.slice(head.length + 1),
      isSubmodule: mode === '160000',
      isLeftOut: tag === 'S',
      isUnmerged: stage !== '0',
    };
  });
}

/** Files that are neither tracked nor ignored. A path that ends in `/` is a separate repository. */
export async function listUntracked(
  ports: GitPorts,
  { gitDir, root }: GitProject,
  excludesFile: string | undefined,
): Promise<readonly string[]> {
  const { stdout } = await runGit(ports, ['ls-files', '-z', '--others', '--exclude-standard'], {
    gitDir,
    workTree: root,
    ...(excludesFile === undefined ? {} : { excludesFile }),
  });
  return nulSeparated(stdout);
}

/** The user's global ignore file, if git would read one. */
export async function findExcludesFile(
  ports: GitPorts,
  userHome: string,
): Promise<string | undefined> {
  const args = ['config', '--global', '--includes', '--type=path', '--get', 'core.excludesFile'];
  const answer = await runGit(ports, args, { userHome, okCodes: [1, 128] });
  const [named] = lines(answer);
  const defaultFile = join(userHome, '.config', 'git', 'ignore');
  return named !== undefined && named !== '' ? named : await realPath(defaultFile);
}

/** The name and address that the user's git would put into a commit. Undefined unless both are configured. */
export async function findIdentity(
  ports: ProjectPorts,
  { gitDir }: Pick<GitProject, 'gitDir'>,
): Promise<{ readonly name: string; readonly email: string } | undefined> {
  const read = async (key: string): Promise<string> => {
    const call = { gitDir, userHome: ports.userHome, okCodes: [1, 128] };
    const [value = ''] = lines(await runGit(ports, ['config', '--includes', '--get', key], call));
    return value.replaceAll(/[<>\n]/g, '').trim();
  };
  const [name, email] = [await read('user.name'), await read('user.email')];
  return name === '' || email === '' ? undefined : { name, email };
}

/** The hashes of the last commit, by path. */
export async function listCommitted(
  ports: GitPorts,
  { gitDir, root }: GitProject,
  head: string,
): Promise<ReadonlyMap<string, { readonly mode: string; readonly id: string }>> {
  const { stdout } = await runGit(ports, ['ls-tree', '-r', '-z', '--full-tree', head], {
    gitDir,
    workTree: root,
  });
  return new Map(
    nulSeparated(stdout).map((line) => {
      const [head = ''] = line.split('\t', 1);
      const [mode = '', , id = ''] = head.split(' ');
      return [line.slice(head.length + 1), { mode, id }];
    }),
  );
}

async function folderProject(path: string, homes: Homes): Promise<Project> {
  if ((await readPath(path, '.git', 0)).kind !== 'absent') {
    throw unsupported(`${path} has a .git, but git does not accept it as a repository.`);
  }
  await refuseTooWide(path, homes);
  return { kind: 'folder', root: path, inside: '' };
}

/**
 * Refuses a whole disk, a whole home, a folder of keys or our own state: such a project would show every secret to
 * the agent. The home counts as the environment names it and as the machine's accounts do, each with symlinks
 * resolved.
 */
export async function refuseTooWide(path: string, { home, userHome }: Homes): Promise<void> {
  const root = (await realPath(path)) ?? resolve(path);
  for (const [folder, what] of [
    [userHome, 'your home folder'],
    [accountHome(), 'your home folder'],
    [home, "Supervisor's own state"],
  ] as const) {
    if (folder === undefined) continue;
    const real = (await realPath(folder)) ?? resolve(folder);
    if (root === '/' || isWithin(real, root) || isWithin(resolve(folder), root))
      throw unsupported(
        real === root
          ? `${path} is too broad to be a project: it is ${what}.`
          : `${path} is too broad to be a project: it contains ${what} ${folder}.`,
      );
  }
  for (const userDir of new Set([userHome, accountHome() ?? userHome])) {
    const why = sharingObjection(root, 'ro', secretPaths({ userDir, realPath: realPathNow }));
    if (why !== undefined) throw unsupported(`${path} cannot be a project, because it ${why}.`);
  }
}

function lines({ stdout }: GitAnswer): readonly string[] {
  const text = stdout.toString('utf8').trimEnd();
  return text === '' ? [] : text.split('\n');
}

/** An old git repeats the options that it does not know. */
function unknownGit(git: string): Refusal {
  return new Refusal({
    code: 'workspace.git-failed',
    message: `${git} does not answer like git 2.31 or newer, which Supervisor needs.`,
    hint: 'Install a newer git. To see what this machine has: supervisor doctor',
  });
}

function unsupported(message: string): Refusal {
  return new Refusal({
    code: 'workspace.unsupported',
    message,
    hint: 'Use the folder of one project instead.',
  });
}
