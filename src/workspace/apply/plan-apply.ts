/** What an apply will do, decided from facts alone: all of it, or a reason to do none of it. */
import type { Oddity } from '../find-files.ts';
import type { FileChange, TreeFileEntry, FileTree } from '../tree-entries.ts';
import { isSameFile } from '../tree-entries.ts';
import { changesOutside, newCollisions, objectionToLink, objectionToPath } from '../path-rules.ts';

/** One path to change: from what is expected there, which may be nothing, to what shall be there. */
export type Edit = {
  readonly path: string;
  readonly expected?: TreeFileEntry;
  readonly goal?: TreeFileEntry;
};

/** What lies at a path now. `other` is a pipe, or what is too large or closed to us. */
export type CurrentState = TreeFileEntry | 'absent' | 'folder' | 'other';

export type EditPlan =
  | { readonly kind: 'edits'; readonly edits: readonly Edit[] }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** How a file that both sides changed comes out; undefined when it does not. */
export type Merges = ReadonlyMap<string, TreeFileEntry | undefined>;

/** The paths that both the agent and the user changed, each in its own way, and that are text to be merged. */
export function pathsToMerge(
  changes: readonly FileChange[],
  now: ReadonlyMap<string, CurrentState>,
): readonly FileChange[] {
  return changes.filter((change) => judge(change, now.get(change.path) ?? 'absent') === 'merge');
}

export function planEdits(
  changes: readonly FileChange[],
  now: ReadonlyMap<string, CurrentState>,
  merges: Merges,
): EditPlan {
  const edits: Edit[] = [];
  const conflicts: string[] = [];
  for (const change of changes) {
    const { path, before, after } = change;
    const here = now.get(path) ?? 'absent';
    switch (judge(change, here)) {
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
        if (goal === undefined || typeof here === 'string') conflicts.push(path);
        else edits.push({ path, expected: here, goal });
        break;
      }
      case 'conflict':
        conflicts.push(path);
        break;
    }
  }
  if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts };
  return { kind: 'edits', edits: inOrder(edits) };
}

function judge(
  { before, after }: FileChange,
  now: CurrentState,
): 'nothing' | 'take' | 'merge' | 'conflict' {
  if (now === 'other') return 'conflict';
  // A folder is no file; if it is still in the way when the time comes, the apply gives up.
  const here = now === 'absent' || now === 'folder' ? undefined : now;
  if (isSameFile(here, after)) return 'nothing';
  if (isSameFile(here, before)) return 'take';
  const sides = [before, after, here];
  const areTexts = sides.every((side) => side !== undefined && side.mode !== '120000');
  return areTexts ? 'merge' : 'conflict';
}

/** The mode of a merged file: whichever side changed it decides. */
export function mergedMode(
  before: TreeFileEntry,
  after: TreeFileEntry,
  here: TreeFileEntry,
): TreeFileEntry['mode'] {
  return before.mode === after.mode ? here.mode : after.mode;
}

/** Deletions first, the deepest before what holds it: so a folder can become a file and a file a folder. */
function inOrder(edits: readonly Edit[]): readonly Edit[] {
  const deleted = edits.filter(({ goal }) => goal === undefined);
  const written = edits.filter(({ goal }) => goal !== undefined);
  return [...deleted.toReversed(), ...written];
}

export type ApplyObjection = { readonly path: string; readonly why: string };

export type ApplySuspicion = {
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
  readonly oddities: readonly Oddity[];
  /** Repositories inside the user's tree. */
  readonly repositories: readonly string[];
  /** By path, where each new symlink leads. */
  readonly links: ReadonlyMap<string, string>;
  /** `inside`: symlinks that stay in the tree are taken over. */
  readonly symlinks: 'refused' | 'inside';
  readonly allowed?: readonly string[];
};

const ODDITY_WORDS: Readonly<Record<Oddity['kind'], string>> = {
  'nested-repository': 'is a repository inside the tree',
  'forbidden-name': 'has a name of git, or one that leaves the tree',
  'name-is-not-text': 'has a name that is not UTF-8',
  'special-file': 'is a pipe, a socket or a device',
  unreadable: 'could not be read',
  'too-large': 'is too large',
  'too-deep': 'is nested too deep',
};

/** Everything that speaks against letting these changes out of the workspace. */
export function applyObjections(given: ApplySuspicion): readonly ApplyObjection[] {
  const { changes, oddities, repositories, links, symlinks } = given;
  const found: ApplyObjection[] = oddities.map(({ kind, path }) => ({
    path,
    why: ODDITY_WORDS[kind],
  }));
  for (const { path, after } of changes) {
    const why = objectionToPath(path);
    if (why !== undefined) found.push({ path, why });
    const inside = repositories.find((one) => path === one || path.startsWith(`${one}/`));
    if (inside !== undefined) found.push({ path, why: `lies in the repository ${inside}` });
    if (after?.mode !== '120000') continue;
    const leads = objectionToLink(path, links.get(path) ?? '');
    if (leads !== undefined) found.push({ path, why: `is a symlink that ${leads}` });
    else if (symlinks === 'refused') found.push({ path, why: 'is a symlink' });
  }
  for (const path of newCollisions(given.before, given.after))
    found.push({ path, why: 'differs from another name only in case or accents' });
  for (const { path } of changesOutside(changes, given.allowed))
    found.push({ path, why: 'is outside the allowed paths' });
  return found;
}
