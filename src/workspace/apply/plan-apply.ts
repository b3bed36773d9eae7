/** Decides what an apply will do, from facts alone: everything, or nothing with a reason. */
import type { Oddity } from '../find-files.ts';
import type { FileChange, TreeFileEntry, FileTree } from '../tree-entries.ts';
import { isSameFile } from '../tree-entries.ts';
import { changesOutside, newCollisions, objectionToLink, objectionToPath } from '../path-rules.ts';

/** One path to change: the file that is expected there, if any, and the file that shall be there, if any. */
export type Edit = {
  readonly path: string;
  readonly expected?: TreeFileEntry;
  readonly goal?: TreeFileEntry;
  /** The permission bits of the goal, if no file is at its path that has them. */
  readonly permissions?: number;
};

/** The current state of a path. `other` is a pipe, or a file that is too large or unreadable. */
export type CurrentState = TreeFileEntry | 'absent' | 'folder' | 'other';

export type EditPlan =
  | { readonly kind: 'edits'; readonly edits: readonly Edit[] }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** The merged result of a file that both sides changed. Undefined: it cannot be merged. */
export type Merges = ReadonlyMap<string, TreeFileEntry | undefined>;

/** The text files that the agent and the user both changed, in different ways. */
export function pathsToMerge(
  changes: readonly FileChange[],
  current: ReadonlyMap<string, CurrentState>,
): readonly FileChange[] {
  return changes.filter(
    (change) => decideChange(change, current.get(change.path) ?? 'absent') === 'merge',
  );
}

/** Of the files that were merged, those that change by it. */
export function mergedPaths(merges: Merges, edits: readonly Edit[]): readonly string[] {
  const changed = new Set(edits.map(({ path }) => path));
  return [...merges.keys()].filter((path) => changed.has(path));
}

export function planEdits(
  changes: readonly FileChange[],
  current: ReadonlyMap<string, CurrentState>,
  merges: Merges,
): EditPlan {
  const edits: Edit[] = [];
  const conflicts: string[] = [];
  for (const change of changes) {
    const { path, before, after } = change;
    const state = current.get(path) ?? 'absent';
    switch (decideChange(change, state)) {
      case 'nothing':
        break;
      case 'take':
        edits.push({
          path,
          ...(before === undefined ? {} : { expected: before }),
          ...(after === undefined ? {} : { goal: after }),
        });
        break;
      case 'merge': {
        const goal = merges.get(path);
        if (goal === undefined || typeof state === 'string') conflicts.push(path);
        // The user's file may already contain the work, and more.
        else if (!isSameFile(state, goal)) edits.push({ path, expected: state, goal });
        break;
      }
      case 'conflict':
        conflicts.push(path);
        break;
    }
  }
  if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts };
  return { kind: 'edits', edits: sortEdits(edits) };
}

function decideChange(
  { before, after }: FileChange,
  current: CurrentState,
): 'nothing' | 'take' | 'merge' | 'conflict' {
  if (current === 'other') return 'conflict';
  // A folder is not a file. If it is still in the way during the apply, the apply is rolled back.
  const file = current === 'absent' || current === 'folder' ? undefined : current;
  if (isSameFile(file, after)) return 'nothing';
  if (isSameFile(file, before)) return 'take';
  const sides = [before, after, file];
  const areTexts = sides.every((side) => side !== undefined && side.mode !== '120000');
  return areTexts ? 'merge' : 'conflict';
}

/** The mode of a merged file: the side that changed it decides. */
export function mergedMode(
  before: TreeFileEntry,
  after: TreeFileEntry,
  current: TreeFileEntry,
): TreeFileEntry['mode'] {
  return before.mode === after.mode ? current.mode : after.mode;
}

/** Deletions first, and the deepest before its folder: so a folder can become a file, and a file a folder. */
export function sortEdits(edits: readonly Edit[]): readonly Edit[] {
  const deleted = edits.filter(({ goal }) => goal === undefined);
  const written = edits.filter(({ goal }) => goal !== undefined);
  return [...deleted.toReversed(), ...written];
}

export type ApplyObjection = { readonly path: string; readonly why: string };

export type ApplyCheckInput = {
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
  readonly oddities: readonly Oddity[];
  /** Repositories inside the user's tree. */
  readonly repositories: readonly string[];
  /** The target of each new symlink, by path. */
  readonly links: ReadonlyMap<string, string>;
  /** `inside`: symlinks that stay in the tree are applied. */
  readonly symlinks: 'refused' | 'inside';
  readonly allowed?: readonly string[];
};

const ODDITY_REASONS: Readonly<Record<Oddity['kind'], string>> = {
  'nested-repository': 'is a repository inside the tree',
  'forbidden-name': 'has a name that git reserves, or one that leaves the tree',
  'name-is-not-text': 'has a name that is not UTF-8',
  'special-file': 'is a pipe, a socket or a device',
  unreadable: 'could not be read',
  'too-large': 'is too large',
  'too-deep': 'is nested too deep',
};

/** Every objection to applying these changes. */
export function applyObjections(input: ApplyCheckInput): readonly ApplyObjection[] {
  const { changes, oddities, repositories, links, symlinks } = input;
  const found: ApplyObjection[] = oddities.map(({ kind, path }) => ({
    path,
    why: ODDITY_REASONS[kind],
  }));
  for (const { path, after } of changes) {
    const why = objectionToPath(path);
    if (why !== undefined) found.push({ path, why });
    const inside = repositories.find((one) => path === one || path.startsWith(`${one}/`));
    if (inside !== undefined) found.push({ path, why: `is in the repository ${inside}` });
    if (after?.mode !== '120000') continue;
    const linkObjection = objectionToLink(path, links.get(path) ?? '');
    if (linkObjection !== undefined)
      found.push({ path, why: `is a symlink that ${linkObjection}` });
    else if (symlinks === 'refused') found.push({ path, why: 'is a symlink' });
  }
  for (const path of newCollisions(input.before, input.after))
    found.push({ path, why: 'differs from another name only in case or accents' });
  for (const { path } of changesOutside(changes, input.allowed))
    found.push({ path, why: 'is outside the allowed paths' });
  return found;
}
