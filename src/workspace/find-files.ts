/**
 * Finds what a tree holds, level by level, below folders that are not ignored. Git is asked only
 * which names are ignored, and only once we have seen that its files of rules are ordinary files.
 */
import { listTreeFolder, readPath } from '../host/files/tree/read-tree.ts';
import { STAGING_PREFIX } from './apply/staging.ts';
import type { TreeLimits } from './tree-limits.ts';
import { tooLarge } from './tree-limits.ts';
import { isGitName, objectionToPath } from './path-rules.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { gitInRepo } from './shadow-repo.ts';
import { checkNotCalledOff, nulSeparated } from './git.ts';

/** What can't be part of a tree as it is, and why. */
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
  /** The first folders and files on each way that rules leave out. */
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
 * Deeper than this, or with longer paths, no program that uses whole paths can work, git included. It
 * also bounds the time: each level costs a git, and each folder a walk from the top.
 */
const DEPTH_MAX = 100;
const PATH_BYTES_MAX = 3500;
/** Folders and what is left out count too, since they take as long to look at. */
const ENTRIES_PER_FILE = 5;

export async function findFiles(
  vault: ShadowRepo,
  root: string,
  options: FindOptions,
): Promise<FoundFiles> {
  const paths: string[] = [];
  const oddities: Oddity[] = [];
  const ignored: string[] = [];
  let rulesAreSound = true;
  let entriesLeft = options.limits.filesMax * ENTRIES_PER_FILE;
  for (let level = [''], depth = 1; level.length > 0; depth += 1) {
    const seen: Seen[] = [];
    for (const folder of level) {
      checkNotCalledOff(vault.ports);
      const entries = await listTreeFolder(root, folder);
      entriesLeft -= entries?.length ?? 0;
      if (entriesLeft < 0) throw tooLarge(`There are too many files and folders in ${root}.`);
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
        if (name === '.gitignore') rulesAreSound &&= await isOrdinary(root, path);
      }
    }
    const left = rulesAreSound ? await askWhichAreIgnored(vault, root, seen, options) : new Set();
    const kept = seen.filter(({ path }) => !left.has(path));
    for (const { path } of seen) if (left.has(path)) ignored.push(path);
    for (const { path, kind } of kept) {
      if (kind === 'special') oddities.push({ kind: 'special-file', path });
      else if (kind !== 'folder') paths.push(path);
    }
    if (paths.length > options.limits.filesMax)
      throw tooLarge(`There are more than ${options.limits.filesMax} files in ${root}.`);
    level = kept.filter(({ kind }) => kind === 'folder').map(({ path }) => path);
  }
  return { paths, oddities, ignored };
}

type Seen = { readonly path: string; readonly kind: string };

async function askWhichAreIgnored(
  vault: ShadowRepo,
  workTree: string,
  seen: readonly Seen[],
  { indexFile, excludesFile }: FindOptions,
): Promise<ReadonlySet<string>> {
  if (seen.length === 0) return new Set();
  const { stdout } = await gitInRepo(vault, ['check-ignore', '-z', '--stdin'], {
    workTree,
    ...(indexFile === undefined ? {} : { indexFile }),
    ...(excludesFile === undefined ? {} : { excludesFile }),
    takesPatterns: true,
    stdin: seen.map(({ path }) => `./${path}\0`).join(''),
    okCodes: [1], // none of them
  });
  return new Set(nulSeparated(stdout).map((path) => path.slice('./'.length)));
}

/** Git would wait for a pipe, and read a file of any size. */
async function isOrdinary(root: string, path: string): Promise<boolean> {
  const { kind } = await readPath(root, path, RULES_BYTES_MAX);
  return kind === 'file' || kind === 'symlink'; // git does not follow a symlink for its rules
}
