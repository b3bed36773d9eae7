/** The words of a work queue: a folder of files, each of which is a piece of work. */

/** The command `take`: the next file becomes this run's, or nobody's. */
export type TakeInput = {
  readonly dir: string;
  /** Whether it looks again, for as long as there is nothing. */
  readonly waits: boolean;
};

export type TakeResult =
  | { readonly kind: 'taken'; readonly name: string; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'refused'; readonly why: string };

/** The command `put`: what was taken is done, or goes back to where others can take it. */
export type PutInput = {
  readonly dir: string;
  /** Null: whatever was taken. */
  readonly name: string | null;
  readonly to: 'done' | 'back';
};

export type PutResult =
  | { readonly kind: 'put' }
  | { readonly kind: 'refused'; readonly why: string };
