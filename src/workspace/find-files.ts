/**
 * Finds the files of a tree, level by level, below folders that are not ignored. Git is asked only which names are
 * ignored, and only after we have checked that its ignore files are ordinary files.
 */
import { listTreeFolder, readPath } from '../host/files/tree/read-tree.ts';
import { STAGING_PREFIX } from './apply/staging.ts';
import type { TreeLimits } from './tree-limits.ts';
import { tooLarge } from './tree-limits.ts';
import { isGitName, objectionToPath } from './path-rules.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { gitInRepo } from './shadow-repo.ts';
import { checkNotCancelled, nulSeparated } from './git.ts';

/** An entry that cannot be part of a tree as it is, and why. */
export type Oddity = {
  readonly kind:
    | 'nested-repository'
    | 'forbidden-name'
    | 'name-is-not-text'
    | 'special-file'
    | 'unreadable'
    | 'too-large'
    | 'too-deep';
  readonly path: string;
};

export type FoundFiles = {
  readonly paths: readonly string[];
  readonly oddities: readonly Oddity[];
  /** The topmost ignored folders and files. */
  readonly ignored: readonly string[];
};

export type FindOptions = {
  readonly limits: TreeLimits;
  /** Files of this index are never ignored. */
  readonly indexFile?: string;
  readonly excludesFile?: string;
};

const RULES_BYTES_MAX = 1_000_000;
/**
 * Beyond this depth or path length, no program that uses whole paths can work, git included. It also bounds the time:
 * each level costs a git call, and each folder a walk from the root.
 */
const DEPTH_MAX = 100;
const PATH_BYTES_MAX = 3500;
/** Folders and ignored entries count too, because reading them takes as long. */
const ENTRIES_PER_FILE = 5;

export async function findFiles(
  repo: ShadowRepo,
  root: string,
  options: FindOptions,
): Promise<FoundFiles> {
  const paths: string[] = [];
  const oddities: Oddity[] = [];
  const ignored: string[] = [];
  let areRulesOrdinary = true;
  let entriesLeft = options.limits.filesMax * ENTRIES_PER_FILE;
  for (let level = [''], depth = 1; level.length > 0; depth += 1) {
    const seen: FoundEntry[] = [];
    for (const folder of level) {
      checkNotCancelled(repo.ports);
      const entries = await listTreeFolder(root, folder);
      entriesLeft -= entries?.length ?? 0;
      if (entriesLeft < 0) throw tooLarge(`${root} contains too many files and folders.`);
      if (entries === undefined) oddities.push({ kind: 'unreadable', path: folder });
      for (const { name, kind, hasTextName } of entries ?? []) {
        const path = folder === '' ? name : `${folder}/${name}`;
        if (folder === '' && (name === '.git' || name.startsWith(STAGING_PREFIX))) continue;
        if (name === '.git') oddities.push({ kind: 'nested-repository', path: folder });
        else if (
          Buffer.byteLength(path) > PATH_BYTES_MAX ||
          (depth >= DEPTH_MAX && kind === 'folder')
        )
          oddities.push({ kind: 'too-deep', path: `${path.slice(0, 200)}…` });
        else if (!hasTextName) oddities.push({ kind: 'name-is-not-text', path });
        else if (isGitName(name) || objectionToPath(path) !== undefined)
          oddities.push({ kind: 'forbidden-name', path });
        else seen.push({ path, kind });
        if (name === '.gitignore') areRulesOrdinary &&= await isOrdinary(root, path);
      }
    }
    const ignoredPaths = areRulesOrdinary
      ? await findIgnored(repo, root, seen, options)
      : new Set();
    const remaining = seen.filter(({ path }) => !ignoredPaths.has(path));
    for (const { path } of seen) if (ignoredPaths.has(path)) ignored.push(path);
    for (const { path, kind } of remaining) {
      if (kind === 'special') oddities.push({ kind: 'special-file', path });
      else if (kind !== 'folder') paths.push(path);
    }
    if (paths.length > options.limits.filesMax)
      throw tooLarge(`${root} contains more than ${options.limits.filesMax} files.`);
    level = remaining.filter(({ kind }) => kind === 'folder').map(({ path }) => path);
  }
  return { paths, oddities, ignored };
}

type FoundEntry = { readonly path: string; readonly kind: string };

async function findIgnored(
  repo: ShadowRepo,
  workTree: string,
  seen: readonly FoundEntry[],
  { indexFile, excludesFile }: FindOptions,
): Promise<ReadonlySet<string>> {
  if (seen.length === 0) return new Set();
  const { stdout } = await gitInRepo(repo, ['check-ignore', '-z', '--stdin'], {
    workTree,
    ...(indexFile === undefined ? {} : { indexFile }),
    ...(excludesFile === undefined ? {} : { excludesFile }),
    takesPatterns: true,
    stdin: seen.map(({ path }) => `./${path}\0`).join(''),
    okCodes: [1], // no path is ignored
  });
  return new Set(nulSeparated(stdout).map((path) => path.slice('./'.length)));
}

/** Git would block on a pipe, and would read a file of any size. */
async function isOrdinary(root: string, path: string): Promise<boolean> {
  const { kind } = await readPath(root, path, RULES_BYTES_MAX);
  return kind === 'file' || kind === 'symlink'; // git does not follow a symlink for its rules
}
