/**
 * Finds what an agent changed, by the hash of every file. The agent's own repository, index and file times are not
 * trusted.
 */
import { join } from 'node:path';
import { scratchDir } from '../host/files/scratch-folder.ts';
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
  /** A commit of the shadow repository. */
  readonly base: string;
  /** The tree of the shadow repository with the agent's result. */
  readonly result: string;
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
  /** Changes outside the allowed paths. */
  readonly outside: readonly FileChange[];
  /** Entries that cannot be stored as they are. The content of some of them is not committed. */
  readonly oddities: readonly Oddity[];
  /** Paths that the agent's own ignore rules exclude. They are neither committed nor applied. */
  readonly ignored: ChangeNames;
  /** Whether the agent changed such ignore rules. */
  readonly rulesChanged: boolean;
};

export type CompareOptions = {
  /** See `changesOutside`. Without it everything is allowed. */
  readonly allowed?: readonly string[];
  readonly limits?: TreeLimits;
};

export async function compareWorkspace(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  { allowed, limits = TREE_LIMITS }: CompareOptions = {},
): Promise<Comparison> {
  const record = await requireRecord(workspace);
  const { project, work, excludes } = workspacePaths(workspace);
  const repo = await openShadowRepo(project, ports);
  await using scratch = await scratchDir(repo.scratchDir);
  const indexFile = join(scratch.path, 'index');
  await gitInRepo(repo, ['read-tree', record.base], { indexFile });
  const before = await readTree(repo, record.base);
  const found = await findFiles(repo, work, { limits, indexFile, excludesFile: excludes });
  // A file of the base is compared even if new rules would ignore it.
  const paths = [...new Set([...found.paths, ...before.keys()])].toSorted();
  const imported = await importTree(repo, work, paths, before, limits);
  const changes = compareTrees(before, imported.tree);
  return {
    base: record.base,
    result: await writeTree(repo, imported.tree),
    before,
    after: imported.tree,
    changes,
    outside: changesOutside(changes, allowed),
    oddities: distinct([...found.oddities, ...imported.oddities]),
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
/** Git adds headers to a diff; this factor leaves room for them. */
const DIFF_MARGIN = 8;

/** How many lines each changed file gained and lost. */
export async function countLines(
  repo: ShadowRepo,
  base: string,
  result: string,
): Promise<readonly ChangedLines[]> {
  const args = ['diff-tree', ...DIFF_FLAGS, '-z', '--numstat', base, result];
  return nulSeparated((await gitInRepo(repo, args)).stdout).map((line) => {
    const [added, removed, ...path] = line.split('\t');
    return added === '-'
      ? { kind: 'binary', path: path.join('\t') }
      : { kind: 'text', path: path.join('\t'), added: Number(added), removed: Number(removed) };
  });
}

export type DiffText = { readonly text: string; readonly leftOut: ChangeNames };

const DIFF_BYTES_MAX = 10_000_000;

/**
 * The changes as a unified diff of whole files. Files beyond the size limit are named instead. The content comes from
 * an agent, so whatever shows it must make control characters harmless.
 */
export async function diffText(
  repo: ShadowRepo,
  { before, after, changes }: Pick<Comparison, 'before' | 'after' | 'changes'>,
  bytesMax = DIFF_BYTES_MAX,
): Promise<DiffText> {
  const [shown, leftOut]: [Set<string>, string[]] = [new Set(), []];
  let bytes = 0;
  for (const { path, before: entryBefore, after: entryAfter } of changes) {
    const size = (entryBefore?.bytes ?? 0) + (entryAfter?.bytes ?? 0);
    if (bytes + size > bytesMax) leftOut.push(path);
    else shown.add(path);
    if (shown.has(path)) bytes += size;
  }
  const only = (tree: FileTree): FileTree => new Map([...tree].filter(([path]) => shown.has(path)));
  const trees = [await writeTree(repo, only(before)), await writeTree(repo, only(after))];
  // Of a fixed length: git's own choice grows with the repository, and whole names break the lines of a terminal.
  const args = ['diff-tree', ...DIFF_FLAGS, '-p', '--abbrev=12', ...trees];
  const { stdout } = await gitInRepo(repo, args, {
    outputBytesMax: (bytesMax + 1_000_000) * DIFF_MARGIN,
  });
  return { text: stdout.toString('utf8'), leftOut: changeNames(leftOut) };
}
