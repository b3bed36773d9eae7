import { hashText } from '../host/hash-text.ts';
import { isImplementation, outline } from './outline/outline.ts';
import type { Loaded, Piece } from './piece.ts';
import type { ProjectView } from './project-view.ts';

export type FileWish = {
  readonly named: boolean;
  /** Show what the file promises, and not how it keeps it. */
  readonly publicOnly: boolean;
  readonly excluded: boolean;
};

export function filePiece(
  view: ProjectView,
  part: string,
  path: string,
  { named, publicOnly, excluded }: FileWish,
): Piece {
  return {
    part,
    name: path,
    tag: publicOnly && isImplementation(path) ? 'interface' : 'file',
    load: async () => {
      if (excluded) return { kind: 'left-out', why: 'excluded' };
      return shown(path, await view.read(path, named), publicOnly);
    },
  };
}

/** Of an implementation only the outline, where that is asked for. */
export async function shown(path: string, seen: Loaded, publicOnly: boolean): Promise<Loaded> {
  if (seen.kind !== 'text' || !publicOnly || !isImplementation(path)) return seen;
  const text = await outline(path, seen.text);
  return text === undefined
    ? { kind: 'left-out', why: 'no public part that can be shown' }
    : { kind: 'text', text, hash: hashText(text) };
}

export function textPiece(part: string, name: string, tag: string, text: string): Piece {
  return {
    part,
    name,
    tag,
    load: async () =>
      text === '' ? { kind: 'absent' } : { kind: 'text', text, hash: hashText(text) },
  };
}
