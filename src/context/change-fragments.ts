/** Fragments about changes, for a review. */
import { hashText } from '../base/hash-text.ts';
import { publicPart, textFragment } from './file-fragments.ts';
import { excludeByPath } from './exclude.ts';
import type { ExclusionReason } from './exclude.ts';
import { isImplementation } from './outline/outline.ts';
import type { Fragment } from './fragment.ts';
import type { ProjectChange, ProjectView } from './project-view.ts';

/** One fragment per file, so that one large file does not hide the others. */
export function diffFragments(
  diff: string | undefined,
  part: string,
  blind: boolean,
  isExcluded: (path: string) => boolean,
): readonly Fragment[] {
  return (diff ?? '')
    .split(/^(?=diff --git )/m)
    .filter((section) => section.startsWith('diff --git '))
    .map((section) => {
      const [, path = 'changes'] = /^diff --git "?a\/(.*?)"? "?b\/\1"?$/m.exec(section) ?? [];
      const why = withheld(path, section, blind, isExcluded);
      const text = section.trimEnd();
      return {
        part,
        name: path,
        tag: 'diff',
        load: async () =>
          why === undefined
            ? { kind: 'text', text, hash: hashText(text) }
            : { kind: 'left-out', why },
      };
    });
}

function withheld(
  path: string,
  section: string,
  blind: boolean,
  isExcluded: (path: string) => boolean,
): ExclusionReason | undefined {
  if (isExcluded(path)) return 'excluded';
  if (/^Binary files /m.test(section)) return 'binary';
  if (blind && isImplementation(path)) return 'no public part that can be shown';
  return excludeByPath(path, { named: false });
}

/** Lists every staged file with its hashes, so that a review refers to exactly this state. */
export function changesFragment(
  changes: readonly ProjectChange[],
  part: string,
): readonly Fragment[] {
  const lines = changes.map(({ path, before, after }) => {
    const what = before === null ? 'added' : after === null ? 'deleted' : 'changed';
    return `${what} ${JSON.stringify(path)} ${before ?? '-'} -> ${after ?? '-'}`;
  });
  return [textFragment(part, 'staged', 'changes', lines.join('\n') || 'Nothing is staged.')];
}

export function changedFileFragments(
  view: ProjectView,
  changes: readonly ProjectChange[],
  part: string,
  blind: boolean,
  isExcluded: (path: string) => boolean,
): readonly Fragment[] {
  return changes
    .filter(({ after }) => after !== null)
    .map((change) => ({
      part,
      name: change.path,
      tag: 'file',
      load: async () =>
        isExcluded(change.path)
          ? { kind: 'left-out', why: 'excluded' }
          : publicPart(change.path, await view.readStaged(change), blind),
    }));
}
