/** Describes the differences between two states of a project's folder: a list of files with their diffs. */
import { unifiedDiff } from './unified-diff.ts';

/** The fields of an entry that are compared; see `TrustRecord`. */
export type TrustedFileState = {
  readonly path: string;
  readonly kind: string;
  readonly mode: number;
  readonly digest: string;
  /** Undefined if the file is not text, or too long. */
  readonly text?: string | undefined;
};

export type FolderChange = {
  readonly path: string;
  readonly what: 'added' | 'changed' | 'removed';
  /** What changed besides the content, or why no text is shown; can be empty. */
  readonly note: string;
  /** A unified diff without its first two lines; empty if there is none. */
  readonly lines: readonly string[];
};

/** Sorted by path. A folder is compared only by its mode and its files. */
export function describeChanges(
  before: readonly TrustedFileState[],
  after: readonly TrustedFileState[],
): readonly FolderChange[] {
  const old = new Map(before.map((entry) => [entry.path, entry]));
  const now = new Map(after.map((entry) => [entry.path, entry]));
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return paths.flatMap((path): FolderChange[] => {
    const [a, b] = [old.get(path), now.get(path)];
    if (b === undefined) return a === undefined ? [] : [change(path, 'removed', a, undefined)];
    if (a === undefined) return [change(path, 'added', undefined, b)];
    const isSame = a.kind === b.kind && a.mode === b.mode && a.digest === b.digest;
    return isSame ? [] : [change(path, 'changed', a, b)];
  });
}

function change(
  path: string,
  what: FolderChange['what'],
  before: TrustedFileState | undefined,
  after: TrustedFileState | undefined,
): FolderChange {
  const notes: string[] = [];
  const one = after ?? before;
  if (before !== undefined && after !== undefined && before.kind !== after.kind)
    notes.push(`was a ${before.kind}, is a ${after.kind}`);
  else if (one !== undefined && one.kind !== 'file')
    notes.push(one.kind === 'other' ? 'not a file, folder or link' : `a ${one.kind}`);
  if (before !== undefined && after !== undefined && before.mode !== after.mode)
    notes.push(`mode ${octal(before.mode)} → ${octal(after.mode)}`);
  const sides = [before, after].filter((side) => side !== undefined);
  const isHidden = sides.some(({ kind, text }) => kind === 'file' && text === undefined);
  if (isHidden) notes.push('not shown: not text, or too long');
  const lines = isHidden ? [] : unifiedDiff(before?.text ?? '', after?.text ?? '');
  return { path, what, note: notes.join(', '), lines };
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}
