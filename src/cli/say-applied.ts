import type { Applied } from '../protocol/api.ts';
import type { Face } from './face.ts';
import { paint } from './face.ts';

export function sayApplied(face: Face, { files, branch, made, merged }: Applied): string {
  const where = branch === null ? 'to the project' : `on ${branch} (${made?.slice(0, 12)})`;
  const also = merged === 0 ? '' : `, ${merged} of them merged with changes of yours`;
  return `${paint(face, 'green', 'applied')} ${files} files ${where}${also}\n`;
}
