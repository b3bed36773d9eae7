import type { CommitNote } from '../protocol/attempt-contract.ts';
import type { CommittedWork as KeptTree } from '../workspace/commit-tree.ts';
import { changeNames } from '../workspace/tree-entries.ts';
import type { WorkspaceId } from '../workspace/workspace.ts';
import type { CommittedTree } from './environments/environment.ts';

/** What is kept of a tree, for the record. */
export function commitNote(
  place: WorkspaceId,
  { ref, commit, changes, oddities, ignored, base, isNews }: KeptTree,
): CommittedTree {
  const count = (...kinds: readonly string[]): number =>
    changes.filter(({ kind }) => kinds.includes(kind)).length;
  const files = changeNames(changes.map(({ path }) => path));
  const note: CommitNote = {
    kind: 'kept',
    ref,
    commit,
    base,
    root: place.root,
    tree: place.attempt,
    files: files.count,
    added: count('added'),
    deleted: count('deleted'),
    names: [...files.names],
    odd: oddities.length,
    ignored: ignored.count,
  };
  return { changed: isNews, note, paths: changes.map(({ path }) => path) };
}
