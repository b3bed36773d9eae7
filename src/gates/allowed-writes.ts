/** Finds the files that a gate has written in its tree although its settings do not allow it. */
import { oneLine, shortList, truncate } from '../base/text.ts';
import { changedSince, stampTree } from '../host/files/tree/stamp-tree.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type { GateFolder } from './declared-files.ts';
import { coveringGlobs } from './covering-globs.ts';
import { declaredFiles } from './declared-files.ts';

const ENTRIES_MAX = 300_000;
const SHOWN_MAX = 5;
const PATH_CHARS_MAX = 200;
/** A check may ask git about its files, which writes into its own repository. */
const SKIPPED = ['.git'];

export type Writes = {
  /** Why they make the gate red. */
  readonly reds: readonly string[];
  /** The paths that were changed. Empty if the gate does not say what it may write. */
  readonly changed: readonly string[];
};

/** Call it before the gate starts. The result, called after its end, says what it has written. */
export async function watchWrites(
  gate: Pick<PinnedGate, 'allowedWrites' | 'report' | 'coverage'>,
  { root, inside }: GateFolder,
): Promise<() => Promise<Writes>> {
  const { allowedWrites } = gate;
  if (allowedWrites === undefined) return () => Promise.resolve({ reds: [], changed: [] });
  const before = await stampTree(root, SKIPPED, ENTRIES_MAX);
  return async () => {
    const after = before && (await stampTree(root, SKIPPED, ENTRIES_MAX));
    if (before === undefined || after === undefined)
      return {
        reds: [`its writes can't be checked: the tree has more than ${ENTRIES_MAX} entries`],
        changed: [],
      };
    const changed = changedSince(before, after);
    const written = refusedWrites(changed, [...allowedWrites, ...declaredFiles(gate)], inside);
    if (written.length === 0) return { reds: [], changed };
    const names = written.map((path) => truncate(oneLine(path), PATH_CHARS_MAX));
    const list = shortList(names, SHOWN_MAX);
    return { reds: [`it changed files that allowed_writes does not list: ${list}`], changed };
  };
}

/** The changed paths that no glob covers. */
export function refusedWrites(
  changed: readonly string[],
  globs: readonly string[],
  inside: string,
): readonly string[] {
  const covers = coveringGlobs(globs, inside);
  return changed.filter((path) => !covers(path));
}
