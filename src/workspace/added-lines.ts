/** Which lines of a tree are new or changed since an earlier tree. */
import type { FileTree } from './tree-entries.ts';
import { compareTrees } from './tree-entries.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { gitInRepo, writeTree } from './shadow-repo.ts';

/** Numbers of lines by path, from 1. */
export type AddedLines = ReadonlyMap<string, readonly number[]>;

const FILE_BYTES_MAX = 1_000_000;
const FILES_MAX = 500;
const DIFF_BYTES_MAX = 100_000_000;

/** Plain text files of a usual size. Others have no lines here. */
export async function addedLines(
  repo: ShadowRepo,
  before: FileTree,
  after: FileTree,
): Promise<AddedLines> {
  const paths = compareTrees(before, after)
    .filter(({ kind }) => kind === 'added' || kind === 'modified')
    .filter(({ after: file }) => file !== undefined && file.bytes <= FILE_BYTES_MAX)
    .slice(0, FILES_MAX)
    .map(({ path }) => path);
  if (paths.length === 0) return new Map();
  const only = (tree: FileTree): FileTree =>
    new Map(paths.flatMap((path) => [...entryOf(tree, path)]));
  const trees = [await writeTree(repo, only(before)), await writeTree(repo, only(after))];
  const flags = ['-r', '-p', '-U0', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const { stdout } = await gitInRepo(repo, ['diff-tree', ...flags, ...trees], {
    outputBytesMax: DIFF_BYTES_MAX,
  });
  return parseAddedLines(stdout.toString('utf8'));
}

function entryOf(tree: FileTree, path: string): FileTree {
  const entry = tree.get(path);
  return new Map(entry === undefined ? [] : [[path, entry]]);
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Of a diff without context. A file whose name git has to quote is left out. */
export function parseAddedLines(diff: string): AddedLines {
  const added = new Map<string, number[]>();
  let path: string | undefined;
  let left = 0;
  for (const line of diff.split('\n')) {
    if (line.startsWith('\\')) continue; // a file without a newline at its end
    if (left > 0) {
      left -= 1;
      continue;
    }
    if (line.startsWith('diff --git ')) path = undefined;
    else if (line.startsWith('+++ b/')) path = line.slice(6).replace(/\t$/, '');
    const [isHunk, removed = '1', start = '0', count = '1'] = HUNK.exec(line) ?? [];
    if (isHunk === undefined) continue;
    left = Number(removed) + Number(count);
    if (path === undefined) continue;
    const numbers = Array.from({ length: Number(count) }, (_, nth) => Number(start) + nth);
    added.set(path, [...(added.get(path) ?? []), ...numbers]);
  }
  return added;
}
