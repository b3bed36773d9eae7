import { plural } from '../../base/text.ts';
import type { Applied } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';

export function formatApplied(
  context: CliContext,
  { files, branch, made, merged }: Applied,
): string {
  const where = branch === null ? 'to the project' : `on ${branch} (${made?.slice(0, 12)})`;
  const also = merged === 0 ? '' : `, ${merged} of them merged with your changes`;
  return `${paint(context, 'green', 'applied')} ${plural(files, 'file')} ${where}${also}\n`;
}
