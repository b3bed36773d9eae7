/** What an agent changed, by the hash of every file: its own repository, index and times say nothing. */
import { join } from 'node:path';
import { scratchDir } from '../host/scratch-dir.ts';
import type { Oddity } from './find-files.ts';
import { findFiles } from './find-files.ts';
import type { TreeLimits } from './limits.ts';
import { TREE_LIMITS } from './limits.ts';
import { nulSeparated } from './git.ts';
import { changesOutside } from './path-rules.ts';
import { takeIn } from './take-in.ts';
import type { Change, Names, Tree } from './tree.ts';
import { compareTrees, namesOf } from './tree.ts';
import type { Vault } from './vault.ts';
import { git, openVault, readTree, writeTree } from './vault.ts';
import type { Place, WorkspacePorts } from './workspace.ts';
import { needRecord, pathsOf } from './workspace.ts';

export type Comparison = {
  /** A commit of the vault. */
  readonly base: string;
  /** The tree of the vault that holds what the agent left. */
  readonly result: string;
  readonly before: Tree;
  readonly after: Tree;
  readonly changes: readonly Change[];
  /** The changes that were not allowed where they are. */
  readonly outside: readonly Change[];
  /** What can't be taken over as it is. Some of it holds content that is not kept. */
  readonly oddities: readonly Oddity[];
  /** What the agent's own rules leave out: it is neither kept nor applied. */
  readonly ignored: Names;
  /** Whether the agent changed such rules. */
  readonly rulesChanged: boolean;
};

export type CompareOptions = {
  /** See `changesOutside`; everything is allowed without it. */
  readonly allowed?: readonly string[];
  readonly limits?: TreeLimits;
};

export async function compareWorkspace(
  place: Place,
  ports: WorkspacePorts,
  { allowed, limits = TREE_LIMITS }: CompareOptions = {},
): Promise<Comparison> {
  const record = await needRecord(place);
  const { project, work, excludes } = pathsOf(place);
  const vault = await openVault(project, ports);
  await using scratch = await scratchDir(vault.scratchDir);
  const indexFile = join(scratch.path, 'index');
  await git(vault, ['read-tree', record.base], { indexFile });
  const before = await readTree(vault, record.base);
  const found = await findFiles(vault, work, { limits, indexFile, excludesFile: excludes });
  // A file that was there is compared even where new rules would leave it out.
  const paths = [...new Set([...found.paths, ...before.keys()])].toSorted();
  const taken = await takeIn(vault, work, paths, before, limits);
  const changes = compareTrees(before, taken.tree);
  return {
    base: record.base,
    result: await writeTree(vault, taken.tree),
    before,
    after: taken.tree,
    changes,
    outside: changesOutside(changes, allowed),
    oddities: distinct([...found.oddities, ...taken.oddities]),
    ignored: namesOf(found.ignored),
    rulesChanged: changes.some(({ path }) => /(?:^|\/)\.gitignore$/.test(path)),
  };
}

function distinct(oddities: readonly Oddity[]): readonly Oddity[] {
  return [...new Map(oddities.map((odd) => [`${odd.kind} ${odd.path}`, odd])).values()];
}

export type ChangedLines =
  | {
      readonly kind: 'text';
      readonly path: string;
      readonly added: number;
      readonly removed: number;
    }
  | { readonly kind: 'binary'; readonly path: string };

const DIFF_FLAGS = ['-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
/** Git says what it knows beside a diff; this is the room for it. */
const DIFF_MARGIN = 8;

/** How many lines each changed file gained and lost. */
export async function countLines(
  vault: Vault,
  base: string,
  result: string,
): Promise<readonly ChangedLines[]> {
  const args = ['diff-tree', ...DIFF_FLAGS, '-z', '--numstat', base, result];
  return nulSeparated((await git(vault, args)).stdout).map((line) => {
    const [added, removed, ...path] = line.split('\t');
    return added === '-'
      ? { kind: 'binary', path: path.join('\t') }
      : { kind: 'text', path: path.join('\t'), added: Number(added), removed: Number(removed) };
  });
}

export type DiffText = { readonly text: string; readonly leftOut: Names };

const DIFF_BYTES_MAX = 10_000_000;

/**
 * The changes as a unified diff, of whole files only: those beyond the bound are named instead. What
 * it says comes from an agent: whoever shows it must make its control characters harmless.
 */
export async function diffText(
  vault: Vault,
  { before, after, changes }: Pick<Comparison, 'before' | 'after' | 'changes'>,
  bytesMax = DIFF_BYTES_MAX,
): Promise<DiffText> {
  const [shown, leftOut]: [Set<string>, string[]] = [new Set(), []];
  let bytes = 0;
  for (const { path, before: was, after: is } of changes) {
    const size = (was?.bytes ?? 0) + (is?.bytes ?? 0);
    if (bytes + size > bytesMax) leftOut.push(path);
    else shown.add(path);
    if (shown.has(path)) bytes += size;
  }
  const only = (tree: Tree): Tree => new Map([...tree].filter(([path]) => shown.has(path)));
  const trees = [await writeTree(vault, only(before)), await writeTree(vault, only(after))];
  const args = ['diff-tree', ...DIFF_FLAGS, '-p', '--full-index', ...trees];
  const { stdout } = await git(vault, args, {
    outputBytesMax: (bytesMax + 1_000_000) * DIFF_MARGIN,
  });
  return { text: stdout.toString('utf8'), leftOut: namesOf(leftOut) };
}
