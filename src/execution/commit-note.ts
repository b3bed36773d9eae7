import type { CommitNote } from '../protocol/contracts/attempt-contract.ts';
import type { CommittedWork } from '../workspace/commit-tree.ts';
import { changeNames } from '../workspace/tree-entries.ts';
import type { WorkspaceId } from '../workspace/workspace.ts';
import type { CommittedTree } from './environments/environment.ts';

/** Describes a commit of the work for the journal. */
export function commitNote(
  workspace: WorkspaceId,
  { ref, commit, result, changes, oddities, ignored, base, isChanged }: CommittedWork,
): CommittedTree {
  const count = (...kinds: readonly string[]): number =>
    changes.filter(({ kind }) => kinds.includes(kind)).length;
  const files = changeNames(changes.map(({ path }) => path));
  const note: CommitNote = {
    kind: 'committed',
    ref,
    commit,
    content: result,
    base,
    root: workspace.root,
    tree: workspace.attempt,
    files: files.count,
    added: count('added'),
    deleted: count('deleted'),
    names: [...files.names],
    oddities: oddities.length,
    ignored: ignored.count,
  };
  return { changed: isChanged, note, paths: changes.map(({ path }) => path) };
}
