/** The code that a work has changed, without the tests and settings that check it. */
import type { ChangedText } from '../mutants/find-mutants.ts';
import { hasMutants } from '../mutants/find-mutants.ts';
import { addedLines } from '../workspace/added-lines.ts';
import { isTestFile, isTestHelper } from '../workspace/apply/test-files.ts';
import type { GateTreeSource } from '../workspace/gate-tree.ts';
import { readTexts } from '../workspace/gate-tree.ts';

const FILES_MAX = 50;
const FILE_BYTES_MAX = 300_000;

/** `judging` are files that decide how the gate judges. They are taken from the base, so a mutant has no effect. */
export async function changedCode(
  { repo, before, after }: Pick<GateTreeSource, 'repo' | 'before' | 'after'>,
  judging: readonly string[],
): Promise<readonly ChangedText[]> {
  if (before === null) return [];
  const lines = [...(await addedLines(repo, before, after))]
    .filter(([path]) => hasMutants(path) && !isTestFile(path) && !isTestHelper(path))
    .filter(([path]) => !judging.includes(path))
    .filter(([path]) => (after.get(path)?.bytes ?? 0) <= FILE_BYTES_MAX)
    .slice(0, FILES_MAX);
  const texts = await readTexts(
    repo,
    lines.map(([path]) => after.get(path)),
  );
  return lines.flatMap(([path, numbers]) => {
    const text = texts.get(after.get(path)?.id ?? '');
    return text === undefined ? [] : [{ path, text, lines: numbers }];
  });
}
