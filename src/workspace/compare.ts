/** What an agent changed, by the hash of every file: its own repository, index and times say nothing. */
import { join } from 'node:path';
import { scratchDir } from '../host/files/scratch-dir.ts';
import type { Oddity } from './find-files.ts';
import { findFiles } from './find-files.ts';
import type { TreeLimits } from './tree-limits.ts';
import { TREE_LIMITS } from './tree-limits.ts';
import { nulSeparated } from './git.ts';
import { changesOutside } from './path-rules.ts';
import { importTree } from './import-tree.ts';
import type { FileChange, ChangeNames, FileTree } from './tree-entries.ts';
import { compareTrees, changeNames } from './tree-entries.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { gitInRepo, openShadowRepo, readTree, writeTree } from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { requireRecord, workspacePaths } from './workspace.ts';

export type Comparison = {
  /** A commit of the vault. */
  readonly base: string;
  /** The tree of the vault that holds what the agent left. */
  readonly result: string;
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
  /** The changes that were not allowed where they are. */
  readonly outside: readonly FileChange[];
  /** What can't be taken over as it is. Some of it holds content that is not kept. */
  readonly oddities: readonly Oddity[];
  /** What the agent's own rules leave out: it is neither kept nor applied. */
  readonly ignored: ChangeNames;
  /** Whether the agent changed such rules. */
  readonly rulesChanged: boolean;
};

export type CompareOptions = {
  /** See `changesOutside`; everything is allowed without it. */
  readonly allowed?: readonly string[];
  readonly limits?: TreeLimits;
};

export async function compareWorkspace(
  place: WorkspaceId,
  ports: WorkspacePorts,
  { allowed, limits = TREE_LIMITS }: CompareOptions = {},
): Promise<Comparison> {
  const record = await requireRecord(place);
  const { project, work, excludes } = workspacePaths(place);
  const vault = await openShadowRepo(project, ports);
  await using scratch = await scratchDir(vault.scratchDir);
  const indexFile = join(scratch.path, 'index');
  await gitInRepo(vault, ['read-tree', record.base], { indexFile });
  const before = await readTree(vault, record.base);
  const found = await findFiles(vault, work, { limits, indexFile, excludesFile: excludes });
  // A file that was there is compared even where new rules would leave it out.
  const paths = [...new Set([...found.paths, ...before.keys()])].toSorted();
  const taken = await importTree(vault, work, paths, before, limits);
  const changes = compareTrees(before, taken.tree);
  return {
    base: record.base,
    result: await writeTree(vault, taken.tree),
    before,
    after: taken.tree,
    changes,
    outside: changesOutside(changes, allowed),
    oddities: distinct([...found.oddities, ...taken.oddities]),
    ignored: changeNames(found.ignored),
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
  vault: ShadowRepo,
  base: string,
  result: string,
): Promise<readonly ChangedLines[]> {
  const args = ['diff-tree', ...DIFF_FLAGS, '-z', '--numstat', base, result];
  return nulSeparated((await gitInRepo(vault, args)).stdout).map((line) => {
    const [added, removed, ...path] = line.split('\t');
    return added === '-'
      ? { kind: 'binary', path: path.join('\t') }
      : { kind: 'text', path: path.join('\t'), added: Number(added), removed: Number(removed) };
  });
}

export type DiffText = { readonly text: string; readonly leftOut: ChangeNames };

const DIFF_BYTES_MAX = 10_000_000;

/**
 * The changes as a unified diff, of whole files only: those beyond the bound are named instead. What
 * it says comes from an agent: whoever shows it must make its control characters harmless.
 */
export async function diffText(
  vault: ShadowRepo,
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
  const only = (tree: FileTree): FileTree => new Map([...tree].filter(([path]) => shown.has(path)));
  const trees = [await writeTree(vault, only(before)), await writeTree(vault, only(after))];
  const args = ['diff-tree', ...DIFF_FLAGS, '-p', '--full-index', ...trees];
  const { stdout } = await gitInRepo(vault, args, {
    outputBytesMax: (bytesMax + 1_000_000) * DIFF_MARGIN,
  });
  return { text: stdout.toString('utf8'), leftOut: changeNames(leftOut) };
}
