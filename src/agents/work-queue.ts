/** A work queue: a folder of files, each of which is one piece of work. */

/** The command `take` claims the next file for this run. */
export type TakeInput = {
  readonly dir: string;
  /** Whether the command waits while the queue is empty. */
  readonly waits: boolean;
};

export type TakeResult =
  | { readonly kind: 'taken'; readonly name: string; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'refused'; readonly why: string };

/** The command `put` marks the claimed file as done, or returns it to the queue. */
export type PutInput = {
  readonly dir: string;
  /** Null: any file that this run has claimed. */
  readonly name: string | null;
  readonly to: 'done' | 'back';
};

export type PutResult =
  | { readonly kind: 'put' }
  | { readonly kind: 'refused'; readonly why: string };
