/** Finds tests of the base that the work changed, deleted or skips. New tests do not count. */
import { readTexts } from '../gate-tree.ts';
import { countInlineTests, countSkips, isTestFile, mayHoldTests } from './test-files.ts';
import type { FileChange, FileTree } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';

export type ChangedTest = {
  readonly path: string;
  /** Completes "the work …". */
  readonly how: 'changed' | 'deleted' | 'skips';
};

export async function changedTests(
  repo: ShadowRepo,
  work: {
    readonly before: FileTree;
    readonly after: FileTree;
    readonly changes: readonly FileChange[];
  },
): Promise<readonly ChangedTest[]> {
  const { before, after } = work;
  const changes = work.changes.filter(
    ({ path, kind }) =>
      kind !== 'mode' && before.has(path) && (isTestFile(path) || mayHoldTests(path)),
  );
  const texts = await readTexts(
    repo,
    changes.flatMap(({ path }) => [before.get(path), after.get(path)]),
  );
  const readText = (tree: FileTree, path: string): string =>
    texts.get(tree.get(path)?.id ?? '') ?? '';
  return changes.flatMap(({ path }) => {
    const how = isTestFile(path)
      ? howTestDiffers(after.has(path), readText(before, path), readText(after, path))
      : howInlineTestsDiffer(readText(before, path), readText(after, path));
    return how === undefined ? [] : [{ path, how }];
  });
}

function howTestDiffers(
  exists: boolean,
  textBefore: string,
  textAfter: string,
): ChangedTest['how'] {
  if (!exists) return 'deleted';
  return countSkips(textAfter) > countSkips(textBefore) ? 'skips' : 'changed';
}

function howInlineTestsDiffer(
  textBefore: string,
  textAfter: string,
): ChangedTest['how'] | undefined {
  const before = countInlineTests(textBefore);
  if (countInlineTests(textAfter) < before) return 'deleted';
  return before > 0 && countSkips(textAfter) > countSkips(textBefore) ? 'skips' : undefined;
}
