import type { ExclusionReason } from './exclude.ts';

export type LoadedFragment =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'left-out'; readonly why: ExclusionReason }
  /** Nothing to show and nothing to say about it. */
  | { readonly kind: 'absent' };

/** One thing that may be packed: a file, one file's changes, a list. It is read when its turn comes. */
export type Fragment = {
  /** What it is for; parts are ranked and dropped as wholes. */
  readonly part: string;
  /** Its path, or what it is called. */
  readonly name: string;
  /** How it is marked in the text. */
  readonly tag: string;
  readonly load: () => Promise<LoadedFragment>;
};
