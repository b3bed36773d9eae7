import { plural } from '../../base/text.ts';
import type { Applied } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';

export function formatApplied(
  context: CliContext,
  { files, branch, made, merged, onto }: Applied,
): string {
  const where =
    branch === null ? `to ${onto ?? 'the project'}` : `on ${branch} (${made?.slice(0, 12)})`;
  return `${paint(context, 'green', 'applied')} ${plural(files, 'file')} ${where}${describeMerged(files, merged)}\n`;
}

function describeMerged(files: number, merged: number): string {
  if (merged === 0) return '';
  return files === 1
    ? ', merged with your changes'
    : `, ${merged} of them merged with your changes`;
}
