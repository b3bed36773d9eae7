import type { WorkspaceId } from '../workspace/workspace.ts';

/** What the journal says about the work that one attempt left. */
export type CommittedAttempt =
  | { readonly kind: 'committed'; readonly workspace: WorkspaceId; readonly commit: string }
  /** The attempt had a tree of its own, and its work could not be committed. */
  | { readonly kind: 'not-committed'; readonly message: string }
  /** The attempt worked in the project itself. */
  | { readonly kind: 'in-project' };
