/** The files of a base that a setup command leads to: its scripts, what they start, and lifecycle scripts. */
import type { FileTree } from '../workspace/tree-entries.ts';
import type { Followed } from '../gates/follow/followed.ts';
import { isCheckFile } from '../gates/follow/follow-scripts.ts';

/**
 * A command that can't be followed to its end may start any program of the tree, so all that look like
 * one count then. Only the files that `inputs` of the setup names would be missing.
 */
export function setupInputs(
  { strict, scripts, packages, notFollowed }: Followed,
  base: FileTree,
): readonly string[] {
  return [...base]
    .filter(
      ([path, { mode }]) =>
        strict.has(path) ||
        scripts.has(path) ||
        packages.has(path) ||
        (notFollowed.length > 0 && (mode === '100755' || isScript(path))),
    )
    .map(([path]) => path);
}

function isScript(path: string): boolean {
  return /\.(?:sh|bash|mk)$|(?:^|\/)(?:GNU)?[Mm]akefile$/.test(path) || isCheckFile(path);
}
