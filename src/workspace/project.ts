/** What the user's project is, as far as a workspace has to know. Only looks; runs nothing that its configuration names. */
import { join, resolve } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { isWithin, sharingObjection, secretPaths } from '../base/secret-paths.ts';
import { accountHome } from '../host/machine/account-home.ts';
import { readPath } from '../host/files/tree/read-tree.ts';
import { realPath } from '../host/files/real-path.ts';
import { realPathSync as realPathNow } from '../host/files/system-dirs.ts';
import type { GitAnswer, GitCall, GitPorts } from './git.ts';
import { nulSeparated, runGit } from './git.ts';

export type Project =
  | { readonly kind: 'folder'; readonly root: string; readonly inside: string }
  | GitProject;

export type GitProject = {
  readonly kind: 'git';
  /** The top of the working tree, with no symlink in its path. */
  readonly root: string;
  /** Where in it the user stood, `''` at the top. */
  readonly inside: string;
  readonly gitDir: string;
  /** The same, but for a linked worktree: there it is the repository's that it belongs to. */
  readonly commonDir: string;
  /** The commit that is checked out; undefined before the first one. */
  readonly head: string | undefined;
  /** Undefined when no branch is checked out. */
  readonly branch: string | undefined;
  readonly isSha1: boolean;
  readonly isShallow: boolean;
  readonly isPartial: boolean;
  readonly isSparse: boolean;
  readonly isLinkedWorktree: boolean;
};

export type ProjectLocation = {
  readonly path: string;
  /** Where our own state lies. */
  readonly home: string;
};

/** Our own state, and the user's own folder. */
type Homes = { readonly home: string; readonly userHome: string };

export type ProjectPorts = GitPorts & {
  /** The user's own folder, which is never a project. */
  readonly userHome: string;
};

const WHERE_ARE_WE = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--is-inside-work-tree',
  '--absolute-git-dir',
  '--git-common-dir',
];

/** Refuses what has no files to work on, and what holds far more than a project. */
export async function lookAtProject(ports: ProjectPorts, place: ProjectLocation): Promise<Project> {
  const path = await realPath(place.path);
  if (path === undefined) throw unsupported(`There is no folder ${place.path}.`);
  const wide = { home: place.home, userHome: ports.userHome };
  const ask = (args: readonly string[]): Promise<GitAnswer> =>
    runGit(ports, args, { workTree: path, okCodes: [128] });
  const [bare, inWorkTree, gitDir = '', commonDir = ''] = lines(await ask(WHERE_ARE_WE));
  if (bare === undefined) return folderProject(path, wide);
  if (bare === 'true' || inWorkTree !== 'true') {
    throw unsupported(`${place.path} is a bare repository, or lies inside one: it has no files.`);
  }
  const [root = path] = lines(await ask(['rev-parse', '--show-toplevel']));
  await refuseTooWide(root, wide);
  const call: GitCall = { gitDir, workTree: root, okCodes: [1, 128] };
  const run = async (...args: readonly string[]): Promise<string | undefined> => {
    const answer = await runGit(ports, args, call);
    return answer.code === 0 ? lines(answer)[0] : undefined;
  };
  const [shallow, format] = lines(
    await runGit(ports, ['rev-parse', '--is-shallow-repository', '--show-object-format'], call),
  );
  return {
    kind: 'git',
    root,
    inside: path === root ? '' : path.slice(root.length + 1),
    gitDir,
    commonDir,
    head: await run('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'),
    branch: await run('symbolic-ref', '--quiet', '--short', 'HEAD'),
    isSha1: format === 'sha1',
    isShallow: shallow === 'true',
    isPartial:
      (await run(
        'config',
        '--get-regexp',
        String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`,
      )) !== undefined,
    isSparse: (await run('config', '--type=bool', '--get', 'core.sparseCheckout')) === 'true',
    isLinkedWorktree: gitDir !== commonDir,
  };
}

/** One entry of the user's own index. */
export type Tracked = {
  readonly path: string;
  readonly isSubmodule: boolean;
  /** Left out of the working tree by a sparse checkout. */
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

/** Files that are neither tracked nor ignored. A path that ends in `/` is a repository of its own. */
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

/** The file of ignore rules that the user has for all projects, if git would read one. */
export async function findExcludesFile(
  ports: GitPorts,
  userHome: string,
): Promise<string | undefined> {
  const args = ['config', '--global', '--includes', '--type=path', '--get', 'core.excludesFile'];
  const answer = await runGit(ports, args, { userHome, okCodes: [1, 128] });
  const [named] = lines(answer);
  const usual = join(userHome, '.config', 'git', 'ignore');
  return named !== undefined && named !== '' ? named : await realPath(usual);
}

/** By path, the hashes of what was committed last. */
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

async function folderProject(path: string, wide: Homes): Promise<Project> {
  if ((await readPath(path, '.git', 0)).kind !== 'absent') {
    throw unsupported(`${path} has a .git, but git does not take it for a repository.`);
  }
  await refuseTooWide(path, wide);
  return { kind: 'folder', root: path, inside: '' };
}

/**
 * A whole disk, a whole home, a folder of keys or our own state is no project: it would put every secret before the agent.
 * The home counts as the environment names it and as the machine's accounts do, each with its links followed.
 */
export async function refuseTooWide(path: string, { home, userHome }: Homes): Promise<void> {
  const root = (await realPath(path)) ?? resolve(path);
  for (const [held, what] of [
    [userHome, 'your home'],
    [accountHome(), 'your home'],
    [home, "Supervisor's own state"],
  ] as const) {
    if (held === undefined) continue;
    const real = (await realPath(held)) ?? resolve(held);
    if (root === '/' || isWithin(real, root) || isWithin(resolve(held), root))
      throw unsupported(`${path} is too wide to be a project: it holds ${what} ${held}.`);
  }
  for (const userDir of new Set([userHome, accountHome() ?? userHome])) {
    const why = sharingObjection(root, 'ro', secretPaths({ userDir, realPath: realPathNow }));
    if (why !== undefined) throw unsupported(`${path} can't be a project, because it ${why}.`);
  }
}

function lines({ code, stdout }: GitAnswer): readonly string[] {
  return code === 0 ? stdout.toString('utf8').trimEnd().split('\n') : [];
}

function unsupported(message: string): Refusal {
  return new Refusal({
    code: 'workspace.unsupported',
    message,
    hint: 'Name the folder of one project with: --project DIR',
  });
}
