import { hashText } from '../base/hash-text.ts';
import { isImplementation, outline } from './outline/outline.ts';
import type { LoadedFragment, Fragment } from './fragment.ts';
import type { ProjectView } from './project-view.ts';

export type FileRequest = {
  readonly named: boolean;
  /** Show only the public interface of the file. */
  readonly publicOnly: boolean;
  readonly excluded: boolean;
};

export function fileFragment(
  view: ProjectView,
  part: string,
  path: string,
  { named, publicOnly, excluded }: FileRequest,
): Fragment {
  return {
    part,
    name: path,
    tag: publicOnly && isImplementation(path) ? 'interface' : 'file',
    load: async () => {
      if (excluded) return { kind: 'left-out', why: 'excluded' };
      return publicPart(path, await view.read(path, { named }), publicOnly);
    },
  };
}

/** Reduces an implementation to its outline if `publicOnly` is true. */
export async function publicPart(
  path: string,
  seen: LoadedFragment,
  publicOnly: boolean,
): Promise<LoadedFragment> {
  if (seen.kind !== 'text' || !publicOnly || !isImplementation(path)) return seen;
  const text = await outline(path, seen.text);
  return text === undefined
    ? { kind: 'left-out', why: 'no public part that can be shown' }
    : { kind: 'text', text, hash: hashText(text) };
}

export function textFragment(part: string, name: string, tag: string, text: string): Fragment {
  return {
    part,
    name,
    tag,
    load: async () =>
      text === '' ? { kind: 'absent' } : { kind: 'text', text, hash: hashText(text) },
  };
}
