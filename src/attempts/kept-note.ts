import type { Json } from '../base/json.ts';
import type { Kept as KeptTree } from '../workspace/keep.ts';
import { namesOf } from '../workspace/tree.ts';
import type { Place } from '../workspace/workspace.ts';
import type { Kept } from './place.ts';

/** What is kept of a tree, for the record. */
export function keptNote(
  place: Place,
  { ref, commit, changes, oddities, ignored, base, isNews }: KeptTree,
): Kept {
  const count = (...kinds: readonly string[]): number =>
    changes.filter(({ kind }) => kinds.includes(kind)).length;
  const files = namesOf(changes.map(({ path }) => path));
  const note: Record<string, Json> = {
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
