/** What a change has besides the files that are shown. Without it, a person could take a part for the whole. */
import { plural } from '../../base/text.ts';
import type { WorkDiff } from '../api.ts';

/** `shown`: how many files are shown. Null: all of them. */
export function describeLeftOut(
  run: string,
  { files, leftOut }: Pick<WorkDiff, 'files' | 'leftOut'>,
  shown: number,
): string | null {
  if (leftOut === 0) return shown === 0 ? 'The work changes no file.' : null;
  const are = leftOut === 1 ? 'is' : 'are';
  return `${plural(leftOut, 'file')} of ${files.length} ${are} too large to show here: supervisor diff ${run}`;
}
