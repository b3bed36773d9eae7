/** What has changed, for somebody who has to judge it. */
import { hashText } from '../host/hash-text.ts';
import { shown, textPiece } from './file-pieces.ts';
import { leaveOutByPath } from './leave-out.ts';
import type { LeftOutReason } from './leave-out.ts';
import { isImplementation } from './outline/outline.ts';
import type { Piece } from './piece.ts';
import type { Change, ProjectView } from './project-view.ts';

/** One piece a file, so that one large file does not hide the others. */
export function diffPieces(
  diff: string | undefined,
  part: string,
  blind: boolean,
  isExcluded: (path: string) => boolean,
): readonly Piece[] {
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
): LeftOutReason | undefined {
  if (isExcluded(path)) return 'excluded';
  if (/^Binary files /m.test(section)) return 'binary';
  if (blind && isImplementation(path)) return 'no public part that can be shown';
  return leaveOutByPath(path, false);
}

/** Every staged file with its hashes, so that whoever judges the change can be held to this very state. */
export function changesPiece(changes: readonly Change[], part: string): readonly Piece[] {
  const lines = changes.map(({ path, before, after }) => {
    const what = before === null ? 'added' : after === null ? 'deleted' : 'changed';
    return `${what} ${JSON.stringify(path)} ${before ?? '-'} -> ${after ?? '-'}`;
  });
  return [textPiece(part, 'staged', 'changes', lines.join('\n') || 'Nothing is staged.')];
}

export function changedFilePieces(
  view: ProjectView,
  changes: readonly Change[],
  part: string,
  blind: boolean,
  isExcluded: (path: string) => boolean,
): readonly Piece[] {
  return changes
    .filter(({ after }) => after !== null)
    .map((change) => ({
      part,
      name: change.path,
      tag: 'file',
      load: async () =>
        isExcluded(change.path)
          ? { kind: 'left-out', why: 'excluded' }
          : shown(change.path, await view.readStaged(change), blind),
    }));
}
