/** Names the files that decide whether the result of a gate is used again, if the gate says which these are. */
import { contentKey } from '../host/git/git-object.ts';
import { canonicalJson } from '../base/json.ts';
import type { FileTree } from '../workspace/tree-entries.ts';
import { coveringGlobs } from './covering-globs.ts';

/**
 * Equal for two trees with the same such files. The globs belong to the name, because another list leaves out other
 * files. `inside`: the user's folder in the tree.
 */
export function nameInputs(tree: FileTree, globs: readonly string[], inside: string): string {
  const covers = coveringGlobs(globs, inside);
  const files = [...tree]
    .filter(([path]) => covers(path))
    .map(([path, { mode, id }]) => `${mode} ${id} ${path}`)
    .toSorted();
  return contentKey(canonicalJson({ globs: [...globs], files }));
}
