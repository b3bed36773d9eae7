/** What is known of the trees of one world, by somebody who saw every step. */
export type TreeEvent =
  /** An attempt begins in a tree. `differs`: how that is not what the last one left there. */
  | {
      readonly kind: 'given';
      readonly run: string;
      readonly key: string;
      readonly differs: readonly string[];
      /** Who had it at that moment. */
      readonly holder: string | null;
    }
  /** A tree is about to go. `lost`: files of it that are on no ref. */
  | {
      readonly kind: 'removed';
      readonly run: string;
      readonly lost: readonly string[];
      readonly by: Remover;
      readonly isOver: boolean;
      /** The agent goes on, and its newest lives work in other trees. */
      readonly isOfEarlierLife: boolean;
    }
  | { readonly kind: 'cleared'; readonly run: string; readonly isOver: boolean }
  /** The last thing that a run does. `unkept`: files of its tree that are on no ref. */
  | { readonly kind: 'finalized'; readonly run: string; readonly unkept: readonly string[] }
  /** An apply changes a file of the user's. */
  | {
      readonly kind: 'touched';
      readonly run: string;
      readonly path: string;
      readonly isBegun: boolean;
    }
  /** An apply has put away its tools. */
  | { readonly kind: 'tidied'; readonly run: string; readonly differs: readonly string[] }
  /** A command was answered. `isOnRecord`: whether that is how it ended by the facts of that moment. */
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
  /** Where projects are not what they should be at the end. */
  readonly differences: readonly string[];
  /** Applies that nobody had carried on when the last owner had long been up. */
  readonly cutOff: readonly string[];
};
