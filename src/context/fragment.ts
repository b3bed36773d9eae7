import type { ExclusionReason } from './exclude.ts';

export type LoadedFragment =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'left-out'; readonly why: ExclusionReason }
  /** There is nothing to pack and nothing to report. */
  | { readonly kind: 'absent' };

/** One item that may be packed: a file, the changes of a file, a list. It is loaded only when needed. */
export type Fragment = {
  /** The part of the context. Parts are ranked and dropped as a whole. */
  readonly part: string;
  /** Its path or title. */
  readonly name: string;
  /** The name of its tag in the prompt. */
  readonly tag: string;
  readonly load: () => Promise<LoadedFragment>;
};
