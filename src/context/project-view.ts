/** A project as packing sees it: its files, and the changes in version control. */
import type { ContextDiff } from '../settings/role-file.ts';
import type { ExclusionReason, FileMention } from './exclude.ts';

export type ProjectFile =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'left-out'; readonly why: ExclusionReason }
  | { readonly kind: 'absent' };

/** One staged file. A hash is null if the file does not exist on that side. */
export type ProjectChange = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
};

export interface ProjectView {
  /** Every file, relative and with forward slashes, in order. */
  readonly paths: readonly string[];
  read(path: string, mention: FileMention): Promise<ProjectFile>;
  /** Empty if nothing has changed; undefined without version control. */
  diff(which: ContextDiff): Promise<string | undefined>;
  /** All staged files. */
  changes(): Promise<readonly ProjectChange[]>;
  /** The staged version of a file of `changes`. The file in the folder can differ. */
  readStaged(change: ProjectChange): Promise<ProjectFile>;
}
