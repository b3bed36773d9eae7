/** A tree as values: its paths and the hashes of their content. */

/** The modes that we store. A folder exists through its files, and a nested repository is never stored as one. */
export type FileMode = '100644' | '100755' | '120000';

export type TreeFileEntry = {
  readonly mode: FileMode;
  readonly id: string;
  readonly bytes: number;
};

/** Entries by path, with `/` between its parts. */
export type FileTree = ReadonlyMap<string, TreeFileEntry>;

export type FileChange = {
  readonly path: string;
  /** `mode`: only its executable bit changed. `symlink`: it is or was a symlink. */
  readonly kind: 'added' | 'modified' | 'deleted' | 'mode' | 'symlink';
  readonly before?: TreeFileEntry;
  readonly after?: TreeFileEntry;
};

/** The changes from the first tree to the second, sorted by path. */
export function compareTrees(before: FileTree, after: FileTree): readonly FileChange[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changes: FileChange[] = [];
  for (const path of paths) {
    const [entryBefore, entryAfter] = [before.get(path), after.get(path)];
    if (entryAfter === undefined) {
      if (entryBefore !== undefined) changes.push({ path, kind: 'deleted', before: entryBefore });
    } else if (entryBefore === undefined) {
      changes.push({ path, kind: isLink(entryAfter) ? 'symlink' : 'added', after: entryAfter });
    } else if (entryBefore.id !== entryAfter.id || entryBefore.mode !== entryAfter.mode) {
      const kind =
        isLink(entryBefore) || isLink(entryAfter)
          ? 'symlink'
          : entryBefore.id === entryAfter.id
            ? 'mode'
            : 'modified';
      changes.push({ path, kind, before: entryBefore, after: entryAfter });
    }
  }
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function isSameFile(a: TreeFileEntry | undefined, b: TreeFileEntry | undefined): boolean {
  return a?.id === b?.id && a?.mode === b?.mode;
}

function isLink(file: TreeFileEntry): boolean {
  return file.mode === '120000';
}

/** Parses one line of `git ls-tree -r -l -z`. Undefined for entries that are not files, such as a submodule. */
export function parseTreeLine(
  line: string,
): readonly [path: string, file: TreeFileEntry] | undefined {
  const found = /^(100644|100664|100755|120000) blob ([0-9a-f]{40,64}) +(\d+|-)\t/s.exec(line);
  if (found === null) return undefined;
  const [head, mode = '', id = '', size = ''] = found;
  const storedMode = mode === '100664' ? '100644' : (mode as FileMode); // an old git's mode for the same
  return [line.slice(head.length), { mode: storedMode, id, bytes: Number(size) }];
}

const NAMES_MAX = 20;

/** How many names there are, and the first of them: enough for a record. */
export type ChangeNames = { readonly count: number; readonly names: readonly string[] };

export function changeNames(paths: Iterable<string>): ChangeNames {
  const sorted = [...paths].toSorted();
  return { count: sorted.length, names: sorted.slice(0, NAMES_MAX) };
}
