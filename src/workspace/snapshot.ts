/**
 * Stores the user's state in the shadow repository as one commit: committed files, uncommitted changes and new files,
 * but no ignored files. The user's index, refs and files stay unchanged.
 */
import type { Oddity } from './find-files.ts';
import { findFiles } from './find-files.ts';
import type { TreeLimits } from './tree-limits.ts';
import { tooLarge } from './tree-limits.ts';
import { STAGING_PREFIX } from './apply/staging.ts';
import { findCollisions, objectionToLink, objectionToPath } from './path-rules.ts';
import type { GitProject, Project } from './project.ts';
import { listCommitted, listTracked, listUntracked } from './project.ts';
import { importTree } from './import-tree.ts';
import type { ChangeNames, FileTree } from './tree-entries.ts';
import { changeNames } from './tree-entries.ts';
import { makeDurable } from './make-durable.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { readBlobs, readRef, readTree, writeCommit, writeRef, writeTree } from './shadow-repo.ts';

/** A fact about the snapshot that a reader of the record should know. */
export type SnapshotNote = ChangeNames & {
  readonly kind:
    | 'case-collision'
    | 'detached-head'
    | 'escaping-symlink'
    | 'left-out'
    | 'lfs'
    | 'linked-worktree'
    | 'nested-repository'
    | 'no-history'
    | 'other-hash'
    | 'partial-clone'
    | 'shallow'
    | 'sparse'
    | 'submodule'
    | 'uncommitted'
    | 'unborn-head'
    | 'unmerged'
    | 'untracked';
};

export type TreeSnapshotResult = {
  readonly commit: string;
  readonly tree: FileTree;
  readonly notes: readonly SnapshotNote[];
  /** Paths in the user's tree that are separate repositories. They are empty in a workspace. */
  readonly repositories: readonly string[];
};

export type SnapshotOptions = {
  readonly limits: TreeLimits;
  readonly excludesFile?: string;
  readonly message: string;
  readonly atMs: number;
};

/** The previous snapshot. Most blobs of the next one are already stored. */
const LATEST_REF = 'refs/supervisor-latest';

export async function takeSnapshot(
  repo: ShadowRepo,
  project: Project,
  options: SnapshotOptions,
): Promise<TreeSnapshotResult> {
  const found =
    project.kind === 'git'
      ? await findInRepository(repo, project, options)
      : await findInFolder(repo, project.root, options);
  if (found.paths.length > options.limits.filesMax)
    throw tooLarge(`${project.root} contains more than ${options.limits.filesMax} files.`);
  const latest = await readRef(repo, LATEST_REF);
  const known: FileTree = latest === undefined ? new Map() : await readTree(repo, latest);
  const imported = await importTree(repo, project.root, found.paths, known, options.limits);
  const large = imported.oddities
    .filter(({ kind }) => kind === 'too-large')
    .map(({ path }) => path);
  if (large.length > 0) {
    const { fileBytesMax } = options.limits;
    throw tooLarge(
      `${listNames(changeNames(large))} ${large.length === 1 ? 'is' : 'are'} larger than ${fileBytesMax} bytes.`,
    );
  }
  const commit = await writeCommit(repo, {
    tree: await writeTree(repo, imported.tree),
    parents: [],
    message: options.message,
    atMs: options.atMs,
  });
  await makeDurable(repo, commit, latest);
  await writeRef(repo, LATEST_REF, commit);
  const notes = [
    ...found.notes,
    ...(await notesOnContent(repo, project, imported.tree)),
    ...note(
      'left-out',
      imported.oddities.map(({ path }) => path),
    ),
  ];
  return { commit, tree: imported.tree, notes, repositories: found.repositories };
}

/** The first names, and how many more there are. */
export function listNames({ names, count }: ChangeNames): string {
  const shown = names.slice(0, 5).join(', ');
  return count > 5 ? `${shown} and ${count - 5} more` : shown;
}

type FoundPaths = {
  readonly paths: readonly string[];
  readonly notes: readonly SnapshotNote[];
  readonly repositories: readonly string[];
};

async function findInRepository(
  repo: ShadowRepo,
  project: GitProject,
  { excludesFile }: SnapshotOptions,
): Promise<FoundPaths> {
  const tracked = await listTracked(repo.ports, project);
  const untracked = await listUntracked(repo.ports, project, excludesFile);
  const submodules = tracked.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path);
  const nested = untracked.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const newFiles = untracked.filter(
    (path) => !path.endsWith('/') && !path.startsWith(STAGING_PREFIX),
  );
  const all = new Set([
    ...tracked.filter((one) => !one.isSubmodule).map(({ path }) => path),
    ...newFiles,
  ]);
  const odd = [...all].filter(
    (path) => path.includes('\uFFFD') || objectionToPath(path) !== undefined,
  );
  return {
    paths: [...all].filter((path) => !odd.includes(path)).toSorted(),
    repositories: [...submodules, ...nested],
    notes: [
      ...note('untracked', newFiles),
      ...note('submodule', submodules),
      ...note('nested-repository', nested),
      ...note('left-out', odd),
      ...note(
        'sparse',
        tracked.filter((one) => one.isLeftOut).map(({ path }) => path),
      ),
      ...note('unmerged', new Set(tracked.filter((one) => one.isUnmerged).map(({ path }) => path))),
      ...flag('unborn-head', project.head === undefined),
      ...flag('detached-head', project.head !== undefined && project.branch === undefined),
      ...flag('shallow', project.isShallow),
      ...flag('partial-clone', project.isPartial),
      ...flag('linked-worktree', project.isLinkedWorktree),
      ...flag('other-hash', !project.isSha1),
    ],
  };
}

async function findInFolder(
  repo: ShadowRepo,
  root: string,
  { limits, excludesFile }: SnapshotOptions,
): Promise<FoundPaths> {
  const found = await findFiles(repo, root, {
    limits,
    ...(excludesFile === undefined ? {} : { excludesFile }),
  });
  const findOddPaths = (kind: Oddity['kind']): readonly string[] =>
    found.oddities.filter((odd) => odd.kind === kind).map(({ path }) => path);
  const repositories = findOddPaths('nested-repository');
  const isNested = (path: string): boolean =>
    repositories.some((repository) => path.startsWith(`${repository}/`));
  const rest = found.oddities.filter(({ kind }) => kind !== 'nested-repository');
  return {
    paths: found.paths.filter((path) => !isNested(path)),
    repositories,
    notes: [
      ...note('nested-repository', repositories),
      ...note(
        'left-out',
        rest.map(({ path }) => path),
      ),
    ],
  };
}

async function notesOnContent(
  repo: ShadowRepo,
  project: Project,
  tree: FileTree,
): Promise<readonly SnapshotNote[]> {
  const escaping: string[] = [];
  const lfs: string[] = [];
  const links = [...tree].filter(([, { mode }]) => mode === '120000');
  const rules = [...tree].filter(
    ([path, { mode }]) =>
      mode !== '120000' && (path === '.gitattributes' || path.endsWith('/.gitattributes')),
  );
  const pathsById = Map.groupBy([...links, ...rules], ([, { id }]) => id);
  await readBlobs(
    repo,
    [...links, ...rules].map(([, file]) => file),
    async (file, content) => {
      for (const [path] of pathsById.get(file.id) ?? []) {
        const text = content.toString('utf8');
        if (file.mode !== '120000') {
          if (/\bfilter=lfs\b/.test(text)) lfs.push(path);
        } else if (objectionToLink(path, text) !== undefined) escaping.push(path);
      }
      await Promise.resolve();
    },
  );
  return [
    ...note('escaping-symlink', new Set(escaping)),
    ...note('lfs', new Set(lfs)),
    ...note('case-collision', new Set(findCollisions(tree.keys()).flat())),
    ...note('uncommitted', await uncommitted(repo, project, tree)),
  ];
}

/** Files whose bytes differ from the last commit: edited, or converted by an attribute. */
async function uncommitted(
  repo: ShadowRepo,
  project: Project,
  tree: FileTree,
): Promise<readonly string[]> {
  if (project.kind !== 'git' || project.head === undefined || !project.isSha1) return [];
  if (project.isPartial) return []; // its trees may not be present locally
  const committed = await listCommitted(repo.ports, project, project.head);
  return [...committed]
    .filter(([path, { mode, id }]) => {
      if (mode === '160000') return false;
      const file = tree.get(path);
      return file === undefined ? !project.isSparse : file.id !== id || file.mode !== mode;
    })
    .map(([path]) => path);
}

function note(kind: SnapshotNote['kind'], paths: Iterable<string>): readonly SnapshotNote[] {
  const names = changeNames(paths);
  return names.count === 0 ? [] : [{ kind, ...names }];
}

function flag(kind: SnapshotNote['kind'], is: boolean): readonly SnapshotNote[] {
  return is ? [{ kind, count: 1, names: [] }] : [];
}
