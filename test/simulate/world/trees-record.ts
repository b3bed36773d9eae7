/** The complete record of the trees of one world. */
export type TreeEvent =
  /**
   * An attempt begins in a tree. `differs`: how the tree differs from what the last attempt left.
   */
  | {
      readonly kind: 'given';
      readonly run: string;
      readonly key: string;
      readonly differs: readonly string[];
      /** The owner that held it at that moment. */
      readonly holder: string | null;
    }
  /** A tree is about to be removed. `lost`: its files that are on no ref. */
  | {
      readonly kind: 'removed';
      readonly run: string;
      readonly lost: readonly string[];
      readonly by: Remover;
      readonly isOver: boolean;
      /** The agent is running, and its newest lives work in other trees. */
      readonly isOfEarlierLife: boolean;
    }
  | { readonly kind: 'cleared'; readonly run: string; readonly isOver: boolean }
  /** The last command of a run. `unkept`: files of its tree that are on no ref. */
  | { readonly kind: 'finalized'; readonly run: string; readonly unkept: readonly string[] }
  /** An apply changes a user's file. */
  | {
      readonly kind: 'touched';
      readonly run: string;
      readonly path: string;
      readonly isBegun: boolean;
    }
  /** An apply has removed its temporary files. */
  | { readonly kind: 'tidied'; readonly run: string; readonly differs: readonly string[] }
  /**
   * A command was answered. `isOnRecord`: whether the facts of that moment show the same result.
   */
  | {
      readonly kind: 'answered';
      readonly run: string;
      readonly request: string;
      readonly answer: string;
      readonly isOnRecord: boolean;
    };

export type Remover = 'attempt' | 'person' | 'prune';

export type TreesRecord = {
  readonly events: readonly TreeEvent[];
  /** Commits that a note names, and that are gone. */
  readonly lostCommits: readonly string[];
  /** Where projects differ from their expected content at the end. */
  readonly differences: readonly string[];
  /** Applies that no owner had completed long after the last owner was up. */
  readonly cutOff: readonly string[];
};
