import { plural } from '../../base/text.ts';
import type { Applied } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** `project`: a project that is not the one of the current folder, so that it has to be named. */
export function formatApplied(
  context: CliContext,
  { files, branch, made, merged, onto }: Applied,
  project?: string,
): string {
  const where =
    branch === null ? `to ${onto ?? 'the project'}` : `on ${branch} (${made?.slice(0, 12)})`;
  const named = project === undefined ? '' : ` in ${printable(project)}`;
  return `${paint(context, 'green', 'applied')} ${plural(files, 'file')} ${where}${named}${describeMerged(files, merged)}\n`;
}

/** How to take the work back, or over from its branch. `run`: has to be named. */
export function undoHint(context: CliContext, { branch, onto }: Applied, run?: string): string {
  if (branch !== null)
    return `${paint(context, 'dim', `Your files are unchanged. Merge it with: git merge ${branch}`)}\n`;
  const named = run === undefined ? '' : ` ${run}`;
  const text = `${onto === null ? '' : 'Not committed. '}Undo with: supervisor apply --undo${named}`;
  return `${paint(context, 'dim', text)}\n`;
}

function describeMerged(files: number, merged: number): string {
  if (merged === 0) return '';
  return files === 1
    ? ', merged with your changes'
    : `, ${merged} of them merged with your changes`;
}
